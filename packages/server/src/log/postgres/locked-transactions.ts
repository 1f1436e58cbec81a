import assert from "node:assert/strict";
import {
  type CommitOutcome,
  type Decide,
  outcomeOf,
  type Tail,
  tailEntriesMax,
  type Wanted,
} from "../commit.ts";
import {
  type Append,
  type FlushObserver,
  LogUnavailable,
  type StoredBatch,
  type StreamName,
} from "../log.ts";
import { statementsIn } from "../statements.ts";
import { appendedIn, appendStatements, lockStatement } from "./appending.ts";
import type { Connections, Dedicated } from "./connection/connections.ts";
import { isUnsent, refusalOf, refusals } from "./connection/failures.ts";
import type { Session } from "./connection/session.ts";

/** Concurrent transactions per node, each on its own connection. A second one would halve the batches: see ADR 23. */
export const shards = 1;

const settings = {
  // A node that stalls in a transaction loses it: otherwise the others could not decide in its streams until it continues.
  idle_in_transaction_session_timeout: "700",
  lock_timeout: "3000",
} as const;

/** After these errors nothing is written, and another attempt may succeed. */
const passing: ReadonlySet<string | undefined> = new Set([
  refusals.serialisation,
  refusals.deadlock,
  refusals.lockTimeout,
  refusals.idleInTransaction,
]);

/** Reading a longer tail would take longer than other nodes should wait. */
const tailBytesMax = 2_000_000;

const statement = statementsIn(new URL("./sql/tails.sql", import.meta.url), { tailBytesMax, tailEntriesMax });

/** Commits to streams that other nodes write too: two round trips, with the streams' rows locked in between. */
export class LockedTransactions {
  readonly #free: Dedicated[];
  readonly #onFlush: FlushObserver | undefined;

  constructor(connections: Connections, onFlush: FlushObserver | undefined) {
    this.#onFlush = onFlush;
    this.#free = Array.from({ length: shards }, () => connections.dedicated(settings));
  }

  async commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    const connection = this.#free.pop();
    assert(connection, "more concurrent commits than shards");
    let entries = 0;
    let decidedAt = 0;
    const decideTimed: Decide = (tails) => {
      const decided = decide(tails);
      entries = decided.reduce((sum, append) => sum + (append?.lines.length ?? 0), 0);
      decidedAt = performance.now();
      return decided;
    };
    try {
      const outcomes = await commitOn(await connection.session(), wanted, decideTimed);
      if (entries > 0) this.#onFlush?.({ entries, seconds: (performance.now() - decidedAt) / 1000 });
      return outcomes;
    } finally {
      this.#free.push(connection);
    }
  }
}

async function commitOn(
  session: Session,
  wanted: readonly Wanted[],
  decide: Decide,
): Promise<CommitOutcome[]> {
  try {
    const tails = await begin(session, wanted);
    // The node stalled and lost its locks, so the outcome of a decision now would be unknown.
    if (session.isLost) throw new LogUnavailable("The connection to the database broke during a commit.");
    return await end(session, tails, decide(tails));
  } catch (error) {
    await session.query("ROLLBACK").catch(() => session.destroy());
    throw error;
  }
}

async function begin(session: Session, wanted: readonly Wanted[]): Promise<Tail[]> {
  const streams = wanted.map(({ stream }) => stream);
  const afters = wanted.map(({ after }) => after);
  const hashes = wanted.map(({ hash }) => hash);
  // Use a separate statement after the lock: the locking one sees the tables as they were before it waited.
  const tails = { text: statement("tails"), values: [streams, afters, hashes] };
  const [, , { rows }] = await session.together([{ text: "BEGIN" }, lockStatement(streams), tails]);
  const batches: StoredBatch[][] = wanted.map(() => []);
  const versions: number[] = wanted.map(() => 0);
  // A missing stream has no row. A node that has it in memory loaded it from a log that went back.
  const follow = afters.map((after) => after === 0);
  for (const { place, version, first, lines, hash, follows } of rows) {
    versions[place - 1] = version;
    follow[place - 1] = follows;
    if (first !== null) batches[place - 1].push({ first, lines: lines.split("\n"), hash });
  }
  return batches.map((tail, index) => {
    if (!follow[index]) return "forked";
    return endOf(tail, afters[index]) < versions[index] ? "long" : tail;
  });
}

function endOf(tail: readonly StoredBatch[], after: number): number {
  const last = tail.at(-1);
  return last ? last.first + last.lines.length - 1 : after;
}

async function end(
  session: Session,
  tails: readonly Tail[],
  decided: readonly (Append | undefined)[],
): Promise<CommitOutcome[]> {
  const outcomes = tails.map(outcomeOf);
  const appends = decided.filter((append, place) => append && outcomes[place] === "committed");
  try {
    const appended = await write(session, appends as Append[]);
    return outcomes.map((outcome, place) => {
      const append = decided[place];
      return outcome === "committed" && append && !appended.has(append.stream) ? "conflict" : outcome;
    });
  } catch (error) {
    const refusal = refusalOf(error);
    // COMMIT is sent last: if it was not sent, nothing is written.
    if (!passing.has(refusal) && !isUnsent(error)) throw error;
    // The database has also closed the connection.
    if (refusal === refusals.idleInTransaction) session.destroy();
    return outcomes.map((outcome) => (outcome === "committed" ? "conflict" : outcome));
  }
}

async function write(session: Session, appends: readonly Append[]): Promise<ReadonlySet<StreamName>> {
  if (appends.length > 0) return appendedIn(await session.commit(appendStatements(appends)));
  // Roll back, because a commit would wait for the disk.
  await session.query("ROLLBACK");
  return new Set();
}
