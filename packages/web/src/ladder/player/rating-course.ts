import type { RatingStep } from "@openseat/client";
import { counted, ratingShown } from "../../ui/words.ts";
import { changeShown, signed } from "../standing.ts";

/** How a rating went, the oldest first: enough to draw it, and to say it. */
export interface RatingCourse {
  /** Before the first of the matches, and after each. */
  readonly ratings: readonly number[];
  /** What led to each of them; undefined for the first. */
  readonly steps: readonly (RatingStep | undefined)[];
}

/** Without what was voided: its ratings are of a course that never was. */
export function courseOf(newestFirst: readonly RatingStep[]): RatingCourse {
  const steps = newestFirst.filter(({ status }) => status === "counted").toReversed();
  if (steps.length === 0) return { ratings: [], steps: [] };
  return { ratings: [steps[0].before, ...steps.map(({ after }) => after)], steps: [undefined, ...steps] };
}

/** The chart in a sentence, for those who do not see it. */
export function courseSaid({ ratings }: RatingCourse): string {
  if (ratings.length === 0) return "No match has counted yet.";
  const [first, last] = [ratings[0], ratings.at(-1)!];
  const matches = counted(ratings.length - 1, "match", "matches");
  const [lowest, highest] = [Math.min(...ratings), Math.max(...ratings)].map(ratingShown);
  return `From ${ratingShown(first)} to ${ratingShown(last)} in ${matches}: highest ${highest}, lowest ${lowest}.`;
}

/** What a point of the chart stands for. */
export function pointSaid({ ratings, steps }: RatingCourse, index: number): string {
  const step = steps[index];
  if (!step) return `${ratingShown(ratings[index])} before`;
  return `${ratingShown(step.after)} (${changeShown(step.before, step.after)}) ${outcomeOf(step)} ${step.opponent.name}`;
}

/** "beat", "drew with", "lost to". */
export function outcomeOf({ score, opponentScore }: Pick<RatingStep, "score" | "opponentScore">): string {
  if (score === opponentScore) return "drew with";
  return score > opponentScore ? "beat" : "lost to";
}

/** Why a step is not what it was, for the mark beside it; nothing for one that is. */
export function stepMark({ status, recounted, firstChange }: RatingStep): string {
  if (status === "voided") return "voided";
  if (!recounted) return "";
  return firstChange === null ? "rated anew" : `rated anew, ${signed(firstChange)} at first`;
}
