import type { Ladder, LadderPlayer, NewLadderMatch } from "@openseat/client";
import { span } from "../../ui/words.ts";

/** The contents of the form. */
export interface Report {
  readonly opponent: Pick<LadderPlayer, "userId" | "name"> | undefined;
  readonly yours: string;
  readonly theirs: string;
}

/** The problems of a form by field; undefined for valid fields. */
export interface ReportProblems {
  readonly opponent?: string;
  readonly yours?: string;
  readonly theirs?: string;
}

const scoreMax = 1_000;

/** Parses a score; undefined if it is not a whole number in range. */
export function scoreIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d{1,4}$/.test(trimmed)) return undefined;
  const score = Number(trimmed);
  return score <= scoreMax ? score : undefined;
}

export function problemsIn({ opponent, yours, theirs }: Report, me: string | undefined): ReportProblems {
  const found = {
    opponent: problemInOpponent(opponent, me),
    yours: problemInScore(yours),
    theirs: problemInScore(theirs),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined));
}

function problemInOpponent(opponent: Report["opponent"], me: string | undefined): string | undefined {
  if (!opponent) return "Choose who you played: type a name, then pick it from the list.";
  return opponent.userId === me ? "You cannot play against yourself. Choose your opponent." : undefined;
}

function problemInScore(text: string): string | undefined {
  if (scoreIn(text) !== undefined) return undefined;
  if (text.trim() === "") return "Type a score. Use 0 for no points.";
  return `A score is a whole number from 0 to ${scoreMax.toLocaleString("en")}.`;
}

/** The match to send; undefined while the form has problems. */
export function matchIn(report: Report, me: string | undefined): NewLadderMatch | undefined {
  const { opponent, yours, theirs } = report;
  if (!opponent || me === undefined || Object.keys(problemsIn(report, me)).length > 0) return undefined;
  return { players: [me, opponent.userId], scores: [scoreIn(yours)!, scoreIn(theirs)!] };
}

/** What sending the form will do. Before the form is complete, the general rule. */
export function consequence(
  { opponent, yours, theirs }: Report,
  {
    confirm,
    confirmWindowSeconds,
    undoWindowSeconds,
  }: Pick<Ladder, "confirm" | "confirmWindowSeconds" | "undoWindowSeconds">,
): string {
  const who = opponent?.name ?? "your opponent";
  const then = confirm
    ? `It counts once ${who} has confirmed it, within ${span(confirmWindowSeconds * 1_000)}.`
    : undoWindowSeconds > 0
      ? `It counts at once. You can take it back for ${span(undoWindowSeconds * 1_000)}.`
      : "It counts at once, and cannot be taken back.";
  const [mine, other] = [scoreIn(yours), scoreIn(theirs)];
  if (!opponent || mine === undefined || other === undefined) return then;
  if (mine === other) return `You and ${who} drew, ${mine} : ${other}. ${then}`;
  const [verb, score] =
    mine > other ? ["You beat", `${mine} : ${other}`] : ["You lost to", `${mine} : ${other}`];
  return `${verb} ${who}, ${score}. ${then}`;
}
