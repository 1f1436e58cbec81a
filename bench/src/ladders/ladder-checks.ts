import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nothing, type Verdict } from "../findings.ts";

/** A ladder's totals in a database. */
export type LadderTotals = {
  /** Matches that count. */
  readonly matches: number;
  /** Rows in the players' histories: two per match. */
  readonly history: number;
  readonly ratingSum: number;
};

/** What one player wins, the other loses, apart from rounding errors. */
const ratingSumErrorMax = 1e-6;

/** Reads a ladder from the database of a stopped server with plain SQL. */
export function readLadder(folder: string, ladder: string): LadderTotals {
  const database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  try {
    const totals = database
      .prepare(
        `WITH this AS (SELECT number AS ladder FROM streams WHERE name = ?)
         SELECT (SELECT count(*) FROM matches JOIN this USING (ladder) WHERE status = 'counted') AS matches,
           (SELECT count(*) FROM rating_history JOIN this USING (ladder)) AS history,
           (SELECT sum(rating) FROM players JOIN this USING (ladder)) AS ratingSum`,
      )
      .get(`ladder/${ladder}`);
    return { ...totals } as LadderTotals;
  } finally {
    database.close();
  }
}

/** What a database must contain after this many acknowledged matches, of which `counting` still count. */
export function ladderVerdicts(
  whose: string,
  totals: LadderTotals,
  expected: { readonly acknowledged: number; readonly counting: number; readonly ratingSum: number },
): Verdict[] {
  const { acknowledged, counting, ratingSum } = expected;
  const error = Math.abs(totals.ratingSum - ratingSum);
  return [
    nothing(
      `${whose}: matches lost or recorded twice`,
      Math.abs(totals.matches - counting) + Math.abs(totals.history - 2 * acknowledged),
    ),
    {
      what: `${whose}: rating points created or lost`,
      value: error,
      measured: error.toExponential(0),
      target: `≤ ${ratingSumErrorMax.toExponential(0)}`,
      met: error <= ratingSumErrorMax,
    },
  ];
}
