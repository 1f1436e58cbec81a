import { nothing, type Verdict } from "../findings.ts";
import type { ChatHistory } from "./chat-log.ts";

/** Messages sent and their answers. */
export type ChatSaid = {
  readonly throws: number;
  readonly matches: number;
  /** Other messages: each has a reply, and notifies nobody else. */
  readonly others: number;
  /** The whole answer to each throw, by message id. */
  readonly answers: ReadonlyMap<string, string>;
  /** Answers to repeated messages that differ from the first answer. */
  readonly changed: number;
};

/** What the log must contain, given the answered messages. */
export function chatVerdicts(history: ChatHistory, said: ChatSaid): Verdict[] {
  const { throws, matches, others, answers, changed } = said;
  const { duelsOpened, duelsEnded, received, receivedTwice, replies, lines } = history;
  // Every second throw ends a duel, except perhaps the last.
  const duelsOff =
    Math.abs(duelsEnded - Math.floor(throws / 2)) + Math.abs(duelsOpened - Math.ceil(throws / 2));
  const messages = throws + matches + others;
  // Lines for each message, each reply and each duel result. Opponents are also notified of challenges and matches,
  // but the hourly limit applies to those.
  const linesMin = 2 * messages + duelsEnded;
  const linesMost = linesMin + duelsOpened + matches;
  const linesOff = Math.max(0, linesMin - lines) + Math.max(0, lines - linesMost);
  let untrue = 0;
  for (const [id, answer] of answers)
    if ((JSON.parse(answer) as { data: { reply: string } }).data.reply !== replies.get(id)) untrue++;
  return [
    nothing("chat: duels lost or decided twice", duelsOff),
    nothing("chat: messages lost or received twice", Math.abs(received - messages) + receivedTwice),
    nothing("chat: answers that differ from the log", untrue),
    nothing("chat: repeated messages with another answer", changed),
    nothing("chat: conversation lines lost or duplicated", linesOff),
  ];
}
