import type { Ladder, LadderMatch } from "@openseat/client";
import { span } from "../ui/words.ts";
import { changeShown } from "./standing.ts";

type Side = LadderMatch["players"][number];

/** "Ann beat Bob", "Ann and Bob drew": the winner first, by the names that the page uses. */
export function matchSummary(match: LadderMatch, me: string | undefined): string {
  const [first, second] = winnerFirst(match);
  const [one, other] = [first, second].map((side) => nameFor(side, me));
  if (first.score === second.score) return `${capital(one)} and ${other} drew`;
  return `${capital(one)} beat ${other}`;
}

/** "3 : 1", the winner's first, and never on two lines. */
export function scoreShown(match: LadderMatch): string {
  return winnerFirst(match)
    .map(({ score }) => score)
    .join("\u00a0:\u00a0");
}

/** Each side's change, in the order of the summary; empty while the match does not count. */
export function changesShown(
  match: LadderMatch,
): (Pick<Side, "userId" | "name"> & { readonly change: string })[] {
  if (match.status !== "counted") return [];
  return winnerFirst(match).flatMap(({ userId, name, before, after }) =>
    before === null || after === null ? [] : [{ userId, name, change: changeShown(before, after) }],
  );
}

/** What has become of a match that does not count as it was reported; nothing for one that does. */
export function statusWords({ status, players, dispute }: LadderMatch): string {
  switch (status) {
    case "pending":
      return dispute === null ? "unconfirmed" : "disputed";
    case "voided":
      return "voided";
    case "declined":
      return "declined";
    case "lapsed":
      return "never confirmed";
    default:
      return players.some(({ recounted }) => recounted) ? "rated anew" : "";
  }
}

/** Whether it waits for this person's word: for the opponent of whoever reported it. */
export function waitsFor({ status, players, reportedBy }: LadderMatch, me: string | undefined): boolean {
  if (status !== "pending" || me === undefined) return false;
  const asked = reportedBy === "first" ? players[1] : players[0];
  return asked.userId === me;
}

/** Whether this person reported it and may still take it back. The server has the last word. */
export function mayVoid(
  match: LadderMatch,
  { undoWindowSeconds }: Pick<Ladder, "undoWindowSeconds">,
  me: string | undefined,
  nowMs: number,
): boolean {
  const { reportedBy, players, status, changedAt } = match;
  const reporter = reportedBy === "first" ? players[0] : reportedBy === "second" ? players[1] : undefined;
  if (me === undefined || reporter?.userId !== me) return false;
  if (status === "pending") return true;
  return status === "counted" && nowMs < Date.parse(changedAt) + undoWindowSeconds * 1_000;
}

/** What the opponent of whoever reported a match is asked about: "Ann says they beat you, 3 : 1." */
export function claim(match: LadderMatch, me: string | undefined): string {
  const [first, second] = winnerFirst(match);
  const reporter = first.userId === me ? second : first;
  const what =
    first.score === second.score ? "you drew" : first.userId === me ? "you beat them" : "they beat you";
  return `${reporter.name} says ${what}, ${scoreShown(match)}.`;
}

/** What to do about a match that waits for the viewer's word. */
export function claimQuestion({ dispute }: LadderMatch): string {
  return dispute === null
    ? "Is that right?"
    : "You reported another score. Confirm this one if it is right; neither counts before one of you confirms.";
}

/** How long there is to confirm it. */
export function timeToConfirm(
  { reportedAt }: LadderMatch,
  { confirmWindowSeconds }: Pick<Ladder, "confirmWindowSeconds">,
  nowMs: number,
): string {
  const leftMs = Date.parse(reportedAt) + confirmWindowSeconds * 1_000 - nowMs;
  return leftMs <= 0 ? "Its time to be confirmed is running out." : `You have ${span(leftMs)} to say so.`;
}

function winnerFirst({ players: [first, second] }: LadderMatch): readonly [Side, Side] {
  return second.score > first.score ? [second, first] : [first, second];
}

function nameFor({ userId, name }: Side, me: string | undefined): string {
  return userId === me ? "you" : name;
}

function capital(text: string): string {
  return text === "you" ? "You" : text;
}
