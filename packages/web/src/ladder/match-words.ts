import type { Ladder, LadderMatch } from "@openseat/client";
import { span } from "../ui/words.ts";
import { changeShown } from "./standing.ts";

type Side = LadderMatch["players"][number];

/** "Ann beat Bob" or "Ann and Bob drew": the winner first, and "you" for the viewer. */
export function matchSummary(match: LadderMatch, me: string | undefined): string {
  const [first, second] = winnerFirst(match);
  const [one, other] = [first, second].map((side) => nameFor(side, me));
  if (first.score === second.score) return `${capital(one)} and ${other} drew`;
  return `${capital(one)} beat ${other}`;
}

/** "3 : 1", the winner's score first, without line breaks. */
export function scoreShown(match: LadderMatch): string {
  return winnerFirst(match)
    .map(({ score }) => score)
    .join("\u00a0:\u00a0");
}

/** The rating change of each side, in the order of the summary; empty if the match does not count. */
export function changesShown(
  match: LadderMatch,
): (Pick<Side, "userId" | "name"> & { readonly change: string })[] {
  if (match.status !== "counted") return [];
  return winnerFirst(match).flatMap(({ userId, name, before, after }) =>
    before === null || after === null ? [] : [{ userId, name, change: changeShown(before, after) }],
  );
}

/** The status of a match; empty for one that counts as it was reported. */
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
      return players.some(({ recounted }) => recounted) ? "recalculated" : "";
  }
}

/** Whether the match waits for this person to confirm it: the opponent of the reporter. */
export function waitsFor({ status, players, reportedBy }: LadderMatch, me: string | undefined): boolean {
  if (status !== "pending" || me === undefined) return false;
  const asked = reportedBy === "first" ? players[1] : players[0];
  return asked.userId === me;
}

/** Whether this person reported it and can still take it back. The server checks again. */
export function canVoid(
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

/** The claim that the viewer is asked to confirm: "Ann says they beat you, 3 : 1." */
export function claim(match: LadderMatch, me: string | undefined): string {
  const [first, second] = winnerFirst(match);
  const reporter = first.userId === me ? second : first;
  const what =
    first.score === second.score ? "you drew" : first.userId === me ? "you beat them" : "they beat you";
  return `${reporter.name} says ${what}, ${scoreShown(match)}.`;
}

/** The question to the viewer about an unconfirmed match. */
export function claimQuestion({ dispute }: LadderMatch): string {
  return dispute === null
    ? "Is that right?"
    : "You reported another score. Confirm this one if it is right; neither counts before one of you confirms.";
}

/** How much time is left to confirm it. */
export function timeToConfirm(
  { reportedAt }: LadderMatch,
  { confirmWindowSeconds }: Pick<Ladder, "confirmWindowSeconds">,
  nowMs: number,
): string {
  const leftMs = Date.parse(reportedAt) + confirmWindowSeconds * 1_000 - nowMs;
  return leftMs <= 0 ? "The time to confirm it is almost over." : `You have ${span(leftMs)} to confirm it.`;
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
