import type { JSX, RefObject } from "preact";
import { SeatMark } from "../ui/icons.tsx";
import { type Day, type Entry, type Group, runsOf, timeShown } from "./conversation-lines.ts";

interface Props {
  readonly days: readonly Day[];
  readonly log: RefObject<HTMLElement | null>;
  /** Sends the message again under the same id. */
  readonly onAgain: (text: string, id: string) => void;
}

/** The conversation: the reader on the right, Openseat on the left. */
export function Conversation({ days, log, onAgain }: Props): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll it only if it can be focused
    <section class="chat-log" aria-label="The conversation" ref={log} tabIndex={0}>
      {days.length === 0 && <Greeting />}
      {days.map(({ name, groups }) => (
        <div key={name}>
          <h2 class="chat-day">{name}</h2>
          <ol>
            {groups.map((group) => (
              <MessageGroup key={group.entries[0].key} group={group} onAgain={onAgain} />
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

function Greeting(): JSX.Element {
  return (
    <div class="greeting">
      <span class="badge">
        <SeatMark />
      </span>
      <h2>Hello!</h2>
      <p>
        Choose a nickname, then challenge your friends to rock, paper, scissors, or report a match for a
        ladder. Type a message below, or start with one of these.
      </p>
    </div>
  );
}

function MessageGroup({ group, onAgain }: { readonly group: Group } & Pick<Props, "onAgain">): JSX.Element {
  const { by, entries } = group;
  const { at, sending } = entries[entries.length - 1];
  return (
    <li class={`said by-${by}`}>
      <span class="unseen">{by === "you" ? "You said" : "Openseat said"}</span>
      {entries.map((entry) => (
        <Bubble key={entry.key} entry={entry} onAgain={onAgain} />
      ))}
      {!sending && (
        <time class="soft" dateTime={at}>
          {timeShown(at)}
        </time>
      )}
    </li>
  );
}

function Bubble({ entry, onAgain }: { readonly entry: Entry } & Pick<Props, "onAgain">): JSX.Element {
  const { by, text, sending } = entry;
  return (
    <>
      <div class="bubble">
        {text.split("\n").map((line, index) =>
          by === "you" ? (
            <p key={index} dir="auto">
              {line}
            </p>
          ) : (
            <OpenseatLine key={index} line={line} />
          ),
        )}
      </div>
      {sending && !sending.isFailed && <p class="sending soft">sending…</p>}
      {sending?.isFailed && (
        <p class="sending">
          {sending.why !== "" && <span class="problem">{sending.why} </span>}
          <button class="again" type="button" onClick={() => onAgain(text, sending.id)}>
            Not sent. Try again
          </button>
        </p>
      )}
    </>
  );
}

/** A line of Openseat, which runs from left to right. Right-to-left names are isolated. */
function OpenseatLine({ line }: { readonly line: string }): JSX.Element {
  return (
    <p dir="ltr">
      {runsOf(line).map((run, index) => (index % 2 === 0 ? run : <bdi key={index}>{run}</bdi>))}
    </p>
  );
}
