import type { JSX } from "preact";
import { useCallback, useRef } from "preact/hooks";
import { daysOf, entriesOf } from "../logic/conversation.ts";
import { sentenceOf } from "../openseat.ts";
import { Composer } from "../parts/composer.tsx";
import { Conversation } from "../parts/conversation.tsx";
import { ArrowIcon } from "../parts/icons.tsx";
import { Loading, Trouble } from "../parts/loading.tsx";
import { TalkLinks } from "../parts/talk-links.tsx";
import { useDuelLadders } from "../parts/use-duel-ladders.ts";
import { useNow } from "../parts/use-now.ts";
import { useStuckToEnd } from "../parts/use-stuck-to-end.ts";
import { useTalk } from "../parts/use-talk.ts";
import { useTitle } from "../parts/use-title.ts";

export function ChatPage(): JSX.Element {
  const talking = useTalk();
  useTitle("Chat · Openseat");
  if (talking.problem !== undefined) return <Trouble text={sentenceOf(talking.problem)} />;
  return talking.talk.lines === undefined ? <Loading /> : <Chat {...talking} />;
}

function Chat({ talk, say }: ReturnType<typeof useTalk>): JSX.Element {
  const ladders = useDuelLadders();
  const nowMs = useNow(60_000);
  const log = useRef<HTMLElement>(null);
  const entries = entriesOf(talk);
  const { hasNews, toEnd } = useStuckToEnd(log, entries.length);
  const send = useCallback(
    (text: string) => {
      say(text);
      toEnd();
    },
    [say, toEnd],
  );
  const readOn = () => {
    toEnd();
    log.current?.focus({ preventScroll: true });
  };
  return (
    <div class="chat">
      <div class="room-head">
        <div>
          <h1>Chat</h1>
          <p class="soft">Play and report by writing, as in any chat.</p>
        </div>
        <TalkLinks here="chat" ladders={ladders} />
      </div>
      <div class="card chat-card">
        <Conversation days={daysOf(entries, nowMs)} log={log} onAgain={say} />
        <div class="news">
          {hasNews && (
            <button class="button" type="button" onClick={readOn}>
              New lines <ArrowIcon />
            </button>
          )}
        </div>
        <Composer onSay={send} />
      </div>
      <div class="unseen" role="status" aria-live="polite" data-said>
        <p key={talk.said.number}>{talk.said.text}</p>
      </div>
    </div>
  );
}
