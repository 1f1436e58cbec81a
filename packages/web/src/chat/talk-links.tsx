import type { JSX } from "preact";
import { chatAddress, duelsAddress, ladderAddress } from "../ui/route.ts";
import type { DuelLadder } from "./duels/duels.ts";

interface Props {
  readonly here: "chat" | "duels";
  readonly ladders: readonly DuelLadder[];
}

const shownMax = 3;

/** Links between chat and duels, and to ladders that count duels. */
export function TalkLinks({ here, ladders }: Props): JSX.Element {
  return (
    <nav class="talk-links" aria-label="See also">
      {here === "chat" ? <a href={duelsAddress}>Duels</a> : <a href={chatAddress}>Chat</a>}
      {ladders.slice(0, shownMax).map(({ id, title }) => (
        <a key={id} href={ladderAddress(id)}>
          <bdi>{title}</bdi>
        </a>
      ))}
    </nav>
  );
}
