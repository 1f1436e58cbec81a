import type { JSX } from "preact";
import { useCallback, useRef } from "preact/hooks";
import { useNow } from "../ui/hooks/use-now.ts";
import { useTitle } from "../ui/hooks/use-title.ts";
import { ArrowIcon } from "../ui/icons.tsx";
import { LoadError, Loading } from "../ui/loading.tsx";
import { sentenceOf } from "../ui/openseat.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { daysOf, entriesOf } from "./conversation-lines.ts";
import { useDuelLadders } from "./duels/use-duel-ladders.ts";
import { TalkLinks } from "./talk-links.tsx";
import { useStuckToEnd } from "./use-stuck-to-end.ts";
import { useTalk } from "./use-talk.ts";

export function ChatPage(): JSX.Element {
  const talking = useTalk();
  useTitle("Chat · Openseat");
  if (talking.problem !== undefined) return <LoadError text={sentenceOf(talking.problem)} />;
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
          <p class="soft">Play duels and report matches by chat.</p>
        </div>
        <TalkLinks here="chat" ladders={ladders} />
      </div>
      <div class="card chat-card">
        <Conversation days={daysOf(entries, nowMs)} log={log} onAgain={say} />
        <div class="news">
          {hasNews && (
            <button class="button" type="button" onClick={readOn}>
              New messages <ArrowIcon />
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
