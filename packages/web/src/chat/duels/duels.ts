import type { Duel, DuelList, Hand, LadderSummary } from "@openseat/client";

/** A person's duels and nickname, as last fetched. */
export interface DuelsSeen extends DuelList {
  readonly nickname: string | null;
}

/** A ladder on which duels may count. */
export type DuelLadder = Pick<LadderSummary, "id" | "title">;

export const hands: readonly Hand[] = ["rock", "paper", "scissors"];

export function handName(hand: Hand): string {
  return hand.charAt(0).toUpperCase() + hand.slice(1);
}

/** "Rock against paper"; empty for a duel without a result. */
export function handsShown({ yourThrow, opponentThrow }: Pick<Duel, "yourThrow" | "opponentThrow">): string {
  if (yourThrow === null || opponentThrow === null) return "";
  return `${handName(yourThrow)} against ${opponentThrow}`;
}

export function isYours({ status, yourThrow }: Pick<Duel, "status" | "yourThrow">): boolean {
  return status === "OPEN" && yourThrow === null;
}

/** Duels that wait for the viewer come first; otherwise newest first. */
export function yoursFirst(open: readonly Duel[]): Duel[] {
  return open.toSorted((one, other) => Number(isYours(other)) - Number(isYours(one)));
}

/** The state of an open duel in a sentence. */
export function openWords({ yourThrow, hasOpponentThrown, opponent }: Duel): string {
  if (yourThrow !== null) return `You threw ${yourThrow}. It is secret until ${opponent} throws too.`;
  return hasOpponentThrown ? `${opponent} has thrown. What do you throw?` : "Nobody has thrown yet.";
}

/** The label of the button that ends an open duel. */
export function dropLabel({ yourThrow, hasOpponentThrown }: Duel): string {
  if (yourThrow !== null) return "Withdraw";
  return hasOpponentThrown ? "Decline" : "Cancel the duel";
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
      return `The duel with ${opponent} was withdrawn`;
    case "gone":
      return `${opponent} has left, so the duel was cancelled`;
    case "crowded":
      return `The duel with ${opponent} was cancelled: too many duels were open`;
    default:
      return `The duel with ${opponent} was open for too long and expired`;
  }
}

/** The title of a ladder, or its id if the title is unknown. */
export function titleOf(ladder: string, ladders: readonly DuelLadder[]): string {
  return ladders.find(({ id }) => id === ladder)?.title ?? ladder;
}

/** The ladder that was chosen before, if it still exists; otherwise empty. */
export function rememberedLadder(remembered: string | null, ladders: readonly DuelLadder[]): string {
  return ladders.some(({ id }) => id === remembered) ? remembered! : "";
}

/** The nickname in a text, without a leading @. */
export function nicknameIn(text: string): string {
  return text.trim().replace(/^@+/, "");
}

/** The screen reader announcement of what has happened since the last fetch. */
export function duelsAnnouncement(before: DuelsSeen | undefined, now: DuelsSeen): string {
  if (!before) return "";
  const isNew = (known: readonly Duel[]) => {
    const ids = new Set(known.map(({ id }) => id));
    return ({ id }: Duel) => !ids.has(id);
  };
  const over = now.finished.filter(isNew(before.finished)).map((duel) => `${endWords(duel)}.`);
  const opened = now.open.filter((duel) => isYours(duel) && isNew(before.open)(duel));
  return [...over, ...opened.map(({ opponent }) => `${opponent} challenges you.`)].join(" ");
}
