import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nothing, type Verdict } from "../findings.ts";

/** What is in a database about a ladder. */
export type LadderTotals = {
  /** That count. */
  readonly matches: number;
  /** Rows of the players' histories; of each match there are two. */
  readonly history: number;
  readonly ratingSum: number;
};

/** Every match takes from one what it gives to the other, but for the last of a double's digits. */
const ratingSumErrorMax = 1e-6;

/** What the database of a server that has stopped says about a ladder, read with plain SQL. */
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

/** What must hold of a database after so many matches were acknowledged, of which so many count still. */
export function ladderVerdicts(
  whose: string,
  totals: LadderTotals,
  expected: { readonly acknowledged: number; readonly counting: number; readonly ratingSum: number },
): Verdict[] {
  const { acknowledged, counting, ratingSum } = expected;
  const error = Math.abs(totals.ratingSum - ratingSum);
  return [
    nothing(
      `${whose}: matches lost, or recorded twice`,
      Math.abs(totals.matches - counting) + Math.abs(totals.history - 2 * acknowledged),
    ),
    {
      what: `${whose}: rating that came from nowhere, or went there`,
      value: error,
      measured: error.toExponential(0),
      target: `≤ ${ratingSumErrorMax.toExponential(0)}`,
      met: error <= ratingSumErrorMax,
    },
  ];
}
