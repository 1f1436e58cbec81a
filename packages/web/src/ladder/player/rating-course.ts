import type { RatingStep } from "@openseat/client";
import { counted, ratingShown } from "../../ui/words.ts";
import { changeShown, signed } from "../standing.ts";

/** A rating over time, oldest first. */
export interface RatingCourse {
  /** The rating before the first match and after each match. */
  readonly ratings: readonly number[];
  /** The step that led to each rating; undefined for the first. */
  readonly steps: readonly (RatingStep | undefined)[];
}

/** Leaves out voided matches, whose ratings no longer apply. */
export function courseOf(newestFirst: readonly RatingStep[]): RatingCourse {
  const steps = newestFirst.filter(({ status }) => status === "counted").toReversed();
  if (steps.length === 0) return { ratings: [], steps: [] };
  return { ratings: [steps[0].before, ...steps.map(({ after }) => after)], steps: [undefined, ...steps] };
}

/** The chart in a sentence, also for screen readers. */
export function courseText({ ratings }: RatingCourse): string {
  if (ratings.length === 0) return "No match has counted yet.";
  const [first, last] = [ratings[0], ratings.at(-1)!];
  const matches = counted(ratings.length - 1, "match", "matches");
  const [lowest, highest] = [Math.min(...ratings), Math.max(...ratings)].map(ratingShown);
  return `From ${ratingShown(first)} to ${ratingShown(last)} in ${matches}: highest ${highest}, lowest ${lowest}.`;
}

/** The caption of a point on the chart. */
export function pointText({ ratings, steps }: RatingCourse, index: number): string {
  const step = steps[index];
  if (!step) return `${ratingShown(ratings[index])} at the start`;
  return `${ratingShown(step.after)} (${changeShown(step.before, step.after)}) ${outcomeOf(step)} ${step.opponent.name}`;
}

/** "beat", "drew with", "lost to". */
export function outcomeOf({ score, opponentScore }: Pick<RatingStep, "score" | "opponentScore">): string {
  if (score === opponentScore) return "drew with";
  return score > opponentScore ? "beat" : "lost to";
}

/** Marks a step that was voided or recalculated; empty otherwise. */
export function stepMark({ status, recounted, firstChange }: RatingStep): string {
  if (status === "voided") return "voided";
  if (!recounted) return "";
  return firstChange === null ? "recalculated" : `recalculated, ${signed(firstChange)} at first`;
}
