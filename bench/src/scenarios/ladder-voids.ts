import type { Bench } from "../bench.ts";
import type { Findings } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import { ladderVerdicts, readLadder } from "../ladders/ladder-checks.ts";
import { createLadder, voidMatch } from "../ladders/openseat-ladder.ts";
import { playersFrom, Reports } from "../ladders/reports.ts";
import { RequestBook } from "../request-book.ts";
import { median } from "../statistics.ts";
import { playerCount, startRating } from "./ladder-matches.ts";

const matchCount = 10_500;
const laterMatches = 10_000;
const secondsMax = 2;
const noEndMs = 10 * 60 * 1000;

/** Voids a match that 10,000 later ones follow: all of them are recounted and written before the answer. */
export function ladderVoids(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress } = bench;
    const players = playersFrom(server.crowd, playerCount);
    const ladder = await createLadder(server, players);
    progress.show(`${wholeText(matchCount)} matches before the voids`);
    const book = new RequestBook();
    new Reports(ladder, players, server.crowd.keyStart).addTo(book, matchCount);
    const load = bench.httpLoad(server);
    await load.saturate(book, noEndMs);
    load.close();
    const voids: { readonly ms: number; readonly recounted: number }[] = [];
    for (let nth = 0; nth < options.restarts; nth++) {
      progress.show(`voiding, ${nth + 1} of ${options.restarts}`);
      // Each void is just before the previous one, so that the same number of matches follows.
      voids.push(await voidMatch(server, ladder, matchCount - laterMatches - nth));
      progress.step();
    }
    await server.stop();
    const seconds = median(voids.map(({ ms }) => ms)) / 1000;
    const recounted = Math.min(...voids.map((one) => one.recounted));
    const verdict = {
      what: `voiding a match ${wholeText(laterMatches)} back`,
      value: seconds,
      measured: `${fixedText(seconds, 2)} s`,
      target: `< ${secondsMax} s`,
      met: seconds < secondsMax,
    };
    const checks = ladderVerdicts("ladder with voids", readLadder(server.folder, ladder), {
      ...{
        acknowledged: matchCount,
        counting: matchCount - voids.length,
        ratingSum: playerCount * startRating,
      },
    });
    const note =
      `Ladder, voiding a match ${wholeText(laterMatches)} back: ${voids.map(({ ms }) => wholeText(ms)).join(", ")} ms, ` +
      `with at least ${wholeText(recounted)} recounted matches.`;
    return { rows: [], verdicts: [verdict, ...checks], notes: [note] };
  });
}
