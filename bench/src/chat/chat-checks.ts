import { nothing, type Verdict } from "../findings.ts";
import type { ChatHistory } from "./chat-log.ts";

/** What was said and answered. */
export type ChatSaid = {
  readonly throws: number;
  readonly matches: number;
  /** Messages of any other kind, each with a reply and nobody else who is told of it. */
  readonly others: number;
  /** By the id of the message, the whole answer to each throw. */
  readonly answers: ReadonlyMap<string, string>;
  /** Answers to messages that came again which were not the first ones. */
  readonly changed: number;
};

/** What must hold of a log after all that was answered. */
export function chatVerdicts(history: ChatHistory, said: ChatSaid): Verdict[] {
  const { throws, matches, others, answers, changed } = said;
  const { duelsOpened, duelsEnded, heard, heardTwice, replies, lines } = history;
  // Every second throw ends a duel, the last one maybe not.
  const duelsOff =
    Math.abs(duelsEnded - Math.floor(throws / 2)) + Math.abs(duelsOpened - Math.ceil(throws / 2));
  const messages = throws + matches + others;
  // What one says, what is said to that, and how a duel ended. Of challenges and matches the other one is told, too, but only so
  // often in an hour.
  const linesMin = 2 * messages + duelsEnded;
  const linesMost = linesMin + duelsOpened + matches;
  const linesOff = Math.max(0, linesMin - lines) + Math.max(0, lines - linesMost);
  let untrue = 0;
  for (const [id, answer] of answers)
    if ((JSON.parse(answer) as { data: { reply: string } }).data.reply !== replies.get(id)) untrue++;
  return [
    nothing("chat: duels lost, or decided twice", duelsOff),
    nothing("chat: messages lost, or heard twice", Math.abs(heard - messages) + heardTwice),
    nothing("chat: answers that are not what the log holds", untrue),
    nothing("chat: repeated messages with another answer", changed),
    nothing("chat: lines of conversations lost, or told twice", linesOff),
  ];
}
