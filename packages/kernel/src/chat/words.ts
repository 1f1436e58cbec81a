import type { Duel, DuelResult, DuelSeat, FinishedDuel } from "../duel/duel.ts";
import { otherSeat } from "../duel/duel.ts";
import type { RefusalCode } from "../refusals.ts";
import type { Both } from "../values.ts";
import { type CommandName, messageLengthMax, usages } from "./grammar.ts";
import { folded } from "./nicknames.ts";
import { clipped } from "./tidy.ts";

/** The texts that people read in a chat: plain, short, and with what they can do next. */

export function help(nickname: string | undefined): string {
  const first =
    nickname === undefined ? `Hello! First choose a name: ${usages.nick}` : `You are ${nickname}.`;
  return [
    first,
    `Duel: ${usages.throw} (or paper, scissors). See yours: ${usages.games}`,
    `Ladder: ${usages.register}, then ${usages.match}. See: ${usages.rating}, ${usages.top}, ${usages.history}. Undo your last report: ${usages.undo}`,
    `Another name: ${usages.nick}. Leave and free your name: ${usages.quit}`,
  ].join("\n");
}

export function usage(command: CommandName): string {
  const examples: Partial<Record<CommandName, string>> = {
    match:
      "Write who played and the score: match @winner @loser 3-1. For a match of your own, match @opponent 3-1.",
    throw: "Write what you throw and at whom: throw rock @nick. It can be rock, paper or scissors.",
    nick: "Write the name you want: nick NAME. It has 2 to 20 letters, digits, _ or -.",
  };
  return examples[command] ?? `Write it like this: ${usages[command]}`;
}

export function unclear(why: "empty" | "long" | "unknown"): string {
  if (why === "long")
    return `Your message is too long: I read up to ${messageLengthMax} characters. Write help to see what I understand.`;
  if (why === "empty") return "I found no text in your message. Write help to see what I understand.";
  return `I did not understand that. Try: ${usages.throw}, ${usages.match}, or ${usages.help} for all commands.`;
}

/** CH7. */
export const broken =
  "Sorry, something went wrong and your message had no effect. The error was logged. You can write other messages as usual.";

export function named(nickname: string, was: string | null): string {
  const next = `Now challenge somebody (${usages.throw}) or join the ladder (${usages.register}).`;
  if (was === null) return `Hello, ${nickname}! ${next}`;
  // A change of case alone frees no name.
  const freed = folded(was) === folded(nickname) ? "" : ` ${was} is free for others.`;
  return `You are ${nickname} now.${freed}`;
}

export const forgotten =
  "You have left. Your nickname is free again and your open duels are cancelled. Write any time to start again.";

export const nobodyToForget = "You have no nickname here, so there is nothing to delete.";

export function off(other: string): string {
  return `Your duel with ${other} is cancelled.`;
}

export function noDuelWith(other: string): string {
  return `You have no open duel with ${other}. To decline a match that was reported, write: decline`;
}

/** The next step after a refusal, where it is not obvious. */
const nextSteps: Partial<Record<RefusalCode, string>> = {
  "nickname.missing": `Write: ${usages.nick}`,
  "nickname.unknown": "Have they chosen a nickname? They can write: nick NAME",
  "duel.self": `Write: ${usages.throw}`,
};

export function refused({ code, message }: { readonly code: RefusalCode; readonly message: string }): string {
  const next = nextSteps[code];
  return next === undefined ? message : `${message} ${next}`;
}

export const secretPlease =
  "Everybody here would see what you throw. Please send it to me in a private message.";

export function noLadder(name: string): string {
  return `There is no ladder called ${clipped(name, 64)}.`;
}

export const noRatedDuels =
  "Duels do not count on your ladder. To play for fun, throw without the word rated.";

export const scoreTooHigh = "Scores are whole numbers from 0 to 1,000.";

/** To the person who threw first. */
export function waiting(opponent: string, isRated: boolean): string {
  const rated = isRated ? ` It counts if ${opponent} says rated too.` : "";
  return `You threw. It is secret until ${opponent} throws too.${rated}`;
}

/** After too many notices in one hour. */
export const enough =
  "You have reached the limit of notifications per hour. To see your duels, write: games. To see your matches: history";

export function challenged(by: string, isRated: boolean, hasReaders: boolean): string {
  const rated = isRated ? ` To make it count on the ladder, add: rated.` : "";
  return `${by} challenges you to rock, paper, scissors! ${answer(hasReaders)}: throw rock @${by} (or paper, or scissors).${rated}`;
}

/** To a person who has not thrown yet, in a duel that they know of. */
export function thrownBy(other: string, isRated: boolean, hasReaders: boolean): string {
  const rated = isRated ? " To make it count on the ladder, add: rated." : "";
  return `${other} has thrown. Your turn. ${answer(hasReaders)}: throw rock @${other} (or paper, or scissors).${rated}`;
}

/** MT3: a throw must not be made where others can read it. */
function answer(hasReaders: boolean): string {
  return hasReaders ? "Send me a private message" : "Answer with";
}

/** The result of a duel, as shown to one of the two. */
export function result({ hands, winner, ladder }: DuelResult, names: Both<string>, seat: DuelSeat): string {
  const other = otherSeat(seat);
  const end = winner === null ? "a draw" : winner === seat ? "you win!" : `${names[other]} wins.`;
  const counts = ladder === null ? "" : " It counts on the ladder.";
  return `You threw ${hands[seat]}, ${names[other]} threw ${hands[other]}: ${end}${winner === null ? "." : ""}${counts}`;
}

export function droppedBy(name: string, reason: "withdrawn" | "declined" | "gone"): string {
  const words = {
    withdrawn: `${name} has withdrawn the challenge.`,
    declined: `${name} does not want to duel.`,
    gone: `${name} has left, so your duel is cancelled.`,
  };
  return words[reason];
}

export function lapsed(other: string): string {
  return `Your duel with ${other} was open for a week and has expired.`;
}

export function crowdedOut(other: string, isOpener: boolean): string {
  return isOpener
    ? `Your duel with ${other} was cancelled: too many duels were open, and you had opened the most. You can challenge ${other} again.`
    : `Your duel with ${other} was cancelled: too many duels were open.`;
}

const shownMax = 10;

/** Open duels and the latest result. MT3: in a group, throws of open duels stay hidden. */
export function games(
  open: readonly { readonly duel: Duel; readonly seat: DuelSeat; readonly other: string }[],
  finished: readonly { readonly duel: FinishedDuel; readonly seat: DuelSeat }[],
  hasReaders: boolean,
): string {
  const lines = open.slice(0, shownMax).map((each) => openLine(each.duel, each.seat, each.other, hasReaders));
  if (open.length > shownMax) lines.push(`And ${open.length - shownMax} more.`);
  if (open.length === 0) lines.push(`You have no open duels. To begin one: ${usages.throw}`);
  const last = finished.find(({ duel }) => "hands" in duel.end);
  if (last) lines.push(`Last: ${result(last.duel.end as DuelResult, last.duel.names, last.seat)}`);
  return lines.join("\n");
}

function openLine({ hands }: Duel, seat: DuelSeat, other: string, hasReaders: boolean): string {
  const hand = hands[seat];
  if (hand !== null) return `${other}: you threw${hasReaders ? "" : ` ${hand}`}, waiting for their throw.`;
  return `${other}: your turn. Write: throw rock @${other}`;
}

export function whom(names: readonly string[]): string {
  if (names.length === 0) return `Who do you want to challenge? Write: ${usages.throw}`;
  const shown = names.slice(0, shownMax).join(", ");
  return `Who is it for? Waiting for your throw: ${shown}. Write: throw rock @${names[0]}`;
}
