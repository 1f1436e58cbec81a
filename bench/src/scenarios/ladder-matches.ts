import type { Bench } from "../bench.ts";
import { bareContender } from "../contenders.ts";
import { cpuUsEach, type Findings, rowOf, type Verdict } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import { HttpLoad } from "../http-load.ts";
import { ladderVerdicts, readLadder } from "../ladders/ladder-checks.ts";
import { createLadder } from "../ladders/openseat-ladder.ts";
import { Postgres } from "../ladders/postgres.ts";
import type { PostgresTotals } from "../ladders/postgres-server.ts";
import { type Reporting, reportingContender } from "../ladders/reporting.ts";
import { playersFrom, Reports } from "../ladders/reports.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Progress } from "../progress.ts";
import { alternate, latencyOf, type Rounds, ratesOf, type Side } from "../slices.ts";
import { median, ratioSpread } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

export const playerCount = 50;
export const startRating = 1_000;
const bareRatioMin = 0.45;
const postgresTimesMin = 12;
/** Pool sizes tried to find the best one. */
const poolsTried = [2, 4, 8, 16, 32];
/** Slices per pool size, because the first one also warms up the others. */
const triesEach = 2;
export const poolTries = triesEach * poolsTried.length;
const firstGuesses = { openseat: 40_000, postgres: 5_000 };

/**
 * Matches on one ladder of 50 players, each durable before its answer: the bare server, Openseat, and the textbook
 * on PostgreSQL.
 */
export function ladderMatches(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const postgres = await Postgres.start({ players: playerCount, startRating, connections: poolsTried[0] });
    try {
      return await compare(bench, server, postgres);
    } finally {
      await postgres.stop();
    }
  });
}

async function compare(bench: Bench, server: Openseat, postgres: Postgres): Promise<Findings> {
  const { options, progress, bare, bareLoad, bareRequests } = bench;
  const { sliceMs, pairs, connections } = options;
  const players = playersFrom(server.crowd, playerCount);
  const ladder = await createLadder(server, players);
  const reports = new Reports(ladder, players, server.crowd.keyStart);
  const ourLoad = bench.httpLoad(server);
  const ours = reportingContender({
    ...{ name: "openseat", pid: server.pid, load: ourLoad, reports, sliceMs },
    firstGuessPerSecond: firstGuesses.openseat,
    logCounters: () => server.logCounters(),
  });
  const theirLoad = new HttpLoad(postgres.address, connections);
  const theirs = reportingContender({
    ...{ name: "postgres", pid: postgres.pid, load: theirLoad, reports, sliceMs },
    firstGuessPerSecond: firstGuesses.postgres,
  });
  const pool = await bestPool(progress, postgres, theirs);
  const rounds = await alternate([bareContender(bare, bareLoad, bareRequests, sliceMs), ours, theirs], {
    ...{ rounds: pairs, warmUps, rerunsMax: pairs, progress },
  });
  ourLoad.close();
  theirLoad.close();
  const totals = await postgres.totals();
  await server.stop();
  const findings = judge(rounds, noteOf(rounds, pool, totals));
  const expected = (acknowledged: number) => ({
    ...{ acknowledged, counting: acknowledged, ratingSum: playerCount * startRating },
  });
  const checks = [
    ...ladderVerdicts("ladder", readLadder(server.folder, ladder), expected(ours.acknowledged())),
    ...ladderVerdicts("ladder in PostgreSQL", totals, expected(theirs.acknowledged())),
  ];
  return { ...findings, verdicts: [...findings.verdicts, ...checks] };
}

/** The pool size with the highest throughput: users of PostgreSQL would tune it too. */
async function bestPool(progress: Progress, postgres: Postgres, reporting: Reporting): Promise<number> {
  const rates = new Map<number, number>();
  for (let tried = 0; tried < poolTries; tried++) {
    const connections = poolsTried[tried % poolsTried.length];
    progress.show(`PostgreSQL with ${connections} connections`);
    await postgres.setConnections(connections);
    await reporting.prepare();
    const { answered, elapsedMs } = await reporting.run();
    rates.set(connections, Math.max(rates.get(connections) ?? 0, answered / elapsedMs));
    progress.step();
  }
  const best = poolsTried.toSorted((one, other) => rates.get(other)! - rates.get(one)!)[0];
  await postgres.setConnections(best);
  return best;
}

function judge(rounds: Rounds, note: string): Findings {
  const [bare, ours, theirs] = rounds.sides;
  const row = rowOf("ladder matches", rounds, bare, ours);
  const times = ratioSpread(ratesOf(ours), ratesOf(theirs)).median;
  const verdicts: Verdict[] = [
    {
      what: "matches on one ladder, to bare",
      value: row.ratio.median,
      measured: row.ratio.median.toFixed(2),
      target: `≥ ${bareRatioMin}`,
      met: row.ratio.median >= bareRatioMin,
    },
    {
      what: "matches on one ladder, to PostgreSQL",
      value: times,
      measured: `${fixedText(times, 1)} ×`,
      target: `≥ ${postgresTimesMin} ×`,
      met: times >= postgresTimesMin,
    },
  ];
  return { rows: [row], verdicts, notes: [note] };
}

function noteOf({ sides }: Rounds, pool: number, totals: PostgresTotals): string {
  const [, ours, theirs] = sides;
  const text = (side: Side): string => {
    const ms = (share: number): string => fixedText(latencyOf(side).percentileUs(share) / 1000, 1);
    return (
      `${wholeText(median(ratesOf(side)))} matches/s (p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms, ` +
      `${fixedText(median(cpuUsEach(side)), 0)} µs of processor time each)`
    );
  };
  return (
    `Ladder matches, ${playerCount} players: Openseat ${text(ours)}; PostgreSQL ${totals.version} ${text(theirs)}, with ` +
    `fsync ${totals.fsync}, synchronous_commit ${totals.synchronousCommit}, prepared statements, ordered row locks and ` +
    `${pool} connections, the best of ${poolsTried.join(", ")}.`
  );
}
