import type { Duel, DuelList, Hand, LadderSummary } from "@openseat/client";

/** What a page knows of somebody's duels. */
export interface DuelsSeen extends DuelList {
  readonly nickname: string | null;
}

/** A ladder on which duels may count. */
export type DuelLadder = Pick<LadderSummary, "id" | "title">;

export const hands: readonly Hand[] = ["rock", "paper", "scissors"];

export function handName(hand: Hand): string {
  return hand.charAt(0).toUpperCase() + hand.slice(1);
}

/** "Rock against paper". Nothing of a duel that came to no end. */
export function handsShown({ yourThrow, opponentThrow }: Pick<Duel, "yourThrow" | "opponentThrow">): string {
  if (yourThrow === null || opponentThrow === null) return "";
  return `${handName(yourThrow)} against ${opponentThrow}`;
}

export function isYours({ status, yourThrow }: Pick<Duel, "status" | "yourThrow">): boolean {
  return status === "OPEN" && yourThrow === null;
}

/** Those that wait for the viewer first, else as they came: the newest first. */
export function inTurn(open: readonly Duel[]): Duel[] {
  return open.toSorted((one, other) => Number(isYours(other)) - Number(isYours(one)));
}

/** What there is to say of an open duel, after the name of the opponent. */
export function openWords({ yourThrow, hasOpponentThrown, opponent }: Duel): string {
  if (yourThrow !== null) return `You threw ${yourThrow}. It is secret until ${opponent} throws too.`;
  return hasOpponentThrown ? `${opponent} has thrown. What do you throw?` : "Nobody has thrown yet.";
}

/** How a duel is called off: in the words of whoever does it, as far as they are known. */
export function dropWord({ yourThrow, hasOpponentThrown }: Duel): string {
  if (yourThrow !== null) return "Withdraw";
  return hasOpponentThrown ? "Decline" : "Call it off";
}

/** How a duel ended. */
export function endWords({ status, result, opponent, reason }: Duel): string {
  if (status === "DROPPED") return droppedWords(opponent, reason);
  if (result === "draw") return `You and ${opponent} drew`;
  return result === "won" ? `You beat ${opponent}` : `${opponent} beat you`;
}

function droppedWords(opponent: string, reason: Duel["reason"]): string {
  switch (reason) {
    case "declined":
      return `The duel with ${opponent} was declined`;
    case "withdrawn":
      return `The challenge with ${opponent} was withdrawn`;
    case "gone":
      return `${opponent} is gone, the duel is off`;
    case "crowded":
      return `The duel with ${opponent} was cancelled: too many duels were open`;
    default:
      return `The duel with ${opponent} was left open too long`;
  }
}

/** What is shown of a ladder of which only the id may be known. */
export function titleOf(ladder: string, ladders: readonly DuelLadder[]): string {
  return ladders.find(({ id }) => id === ladder)?.title ?? ladder;
}

/** The one that was chosen before, if it is still there. */
export function rememberedLadder(remembered: string | null, ladders: readonly DuelLadder[]): string {
  return ladders.some(({ id }) => id === remembered) ? remembered! : "";
}

/** A nickname as people type it. */
export function nicknameIn(text: string): string {
  return text.trim().replace(/^@+/, "");
}

/** For screen readers: what has happened since, to somebody who looks on. */
export function duelsSaid(before: DuelsSeen | undefined, now: DuelsSeen): string {
  if (!before) return "";
  const isNew = (known: readonly Duel[]) => {
    const ids = new Set(known.map(({ id }) => id));
    return ({ id }: Duel) => !ids.has(id);
  };
  const over = now.finished.filter(isNew(before.finished)).map((duel) => `${endWords(duel)}.`);
  const opened = now.open.filter((duel) => isYours(duel) && isNew(before.open)(duel));
  return [...over, ...opened.map(({ opponent }) => `${opponent} challenges you.`)].join(" ");
}
