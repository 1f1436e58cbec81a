import type { Ladder, LadderPlayer } from "@openseat/client";
import { counted, grouped, ratingShown, span } from "../ui/words.ts";

/** "1st", "22nd", "113th". */
export function ordinal(place: number): string {
  const isTeen = place % 100 >= 11 && place % 100 <= 13;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `${grouped(place)}${ending}`;
}

/** How much a rating rose or fell: the difference of the rounded ratings, so that the sums on the page add up. */
export function changeShown(before: number, after: number): string {
  return signed(Math.round(after) - Math.round(before));
}

/** "+12", "−8", "±0". */
export function signed(change: number): string {
  const whole = Math.round(change);
  if (whole === 0) return "±0";
  return whole > 0 ? `+${whole}` : `−${-whole}`;
}

/** "3 wins, 1 draw and 2 losses". */
export function record({ wins, draws, losses }: Pick<LadderPlayer, "wins" | "draws" | "losses">): string {
  return `${counted(wins, "win", "wins")}, ${counted(draws, "draw", "draws")} and ${counted(losses, "loss", "losses")}`;
}

/** How the ladder rates players and when results count, in one line. */
export function ladderRules({
  system,
  confirm,
  confirmWindowSeconds,
}: Pick<Ladder, "system" | "confirm" | "confirmWindowSeconds">): string {
  const rated = system === "elo" ? "Rated by Elo." : "Rated by Glicko-2.";
  const counts = confirm
    ? `A result counts once the opponent has confirmed it, within ${span(confirmWindowSeconds * 1_000)}.`
    : "Results count at once.";
  return `${rated} ${counts}`;
}

/** Whether the person is on the ladder now, and has not left it. */
export function isOn(you: LadderPlayer | null): you is LadderPlayer & { leftAt: null } {
  return you !== null && you.leftAt === null;
}

export interface LadderCall {
  readonly headline: string;
  readonly detail: string;
  readonly tone: "yours" | "good" | "calm";
  readonly way: "Join the ladder" | "Come back" | undefined;
}

/** The headline of the ladder page for this viewer. */
export function ladderCall(ladder: Ladder, you: LadderPlayer | null): LadderCall {
  if (ladder.status === "ENDED")
    return {
      headline: "This ladder has ended",
      detail: you ? `Your final rating is ${ratingShown(you.rating)}.` : "Its final standings stay here.",
      tone: "calm",
      way: undefined,
    };
  if (you?.banned)
    return {
      headline: "You are banned from this ladder",
      detail: "Ask its organiser to let you join again.",
      tone: "calm",
      way: undefined,
    };
  if (isOn(you)) return yourStanding(ladder, you);
  if (!ladder.open)
    return {
      headline: "You are watching",
      detail: "This ladder is invite-only. Ask its organiser to add you.",
      tone: "calm",
      way: undefined,
    };
  if (you)
    return {
      headline: "You have left this ladder",
      detail: `Come back to continue with your rating of ${ratingShown(you.rating)}.`,
      tone: "calm",
      way: "Come back",
    };
  return {
    headline: ladder.players === 0 ? "Be the first on this ladder" : "Play on this ladder",
    detail: `You start at ${ratingShown(ladder.startRating)} and gain rating with every win.`,
    tone: "yours",
    way: "Join the ladder",
  };
}

function yourStanding(ladder: Ladder, you: LadderPlayer): LadderCall {
  const place =
    you.rank === null ? "You are in" : `You are ${ordinal(you.rank)} of ${grouped(ladder.players)}`;
  const rated = `Your rating is ${ratingShown(you.rating)}${you.provisional ? ", provisional" : ""}.`;
  const detail =
    you.games === 0 ? `${rated} Play someone and report the result.` : `${rated} ${record(you)}.`;
  return { headline: place, detail, tone: "good", way: undefined };
}

/** The screen reader announcement of the viewer's new rating; empty if it has not changed. */
export function standingAnnouncement(
  before: LadderPlayer | null | undefined,
  now: LadderPlayer | null,
): string {
  if (!before || !isOn(now) || before.version === now.version) return "";
  const rank = now.rank === null ? "" : ` You are ${ordinal(now.rank)}.`;
  return `Your rating is now ${ratingShown(now.rating)} (${changeShown(before.rating, now.rating)}).${rank}`;
}
