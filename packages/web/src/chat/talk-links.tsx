import type { JSX } from "preact";
import { chatAddress, duelsAddress, ladderAddress } from "../ui/route.ts";
import type { DuelLadder } from "./duels/duels.ts";

interface Props {
  readonly here: "chat" | "duels";
  readonly ladders: readonly DuelLadder[];
}

const shownMax = 3;

/** From chat to duels, back, and to the ladders that both are about. */
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
