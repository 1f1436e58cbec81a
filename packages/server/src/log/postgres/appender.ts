import type { Append, AppendOutcome, FlushObserver, StreamName } from "../log.ts";
import { appendStatements, lockStatement, outcomesOf } from "./appending.ts";
import type { Dedicated } from "./connections.ts";
import type { Result, Session } from "./session.ts";

/** Appends that are decided without a turn: as by whoever has the log for themselves. One after the other, on one connection. */
export class Appender {
  readonly #line: Dedicated;
  readonly #onFlush: FlushObserver;
  #last: Promise<unknown> = Promise.resolve();

  constructor(line: Dedicated, onFlush: FlushObserver = () => {}) {
    this.#line = line;
    this.#onFlush = onFlush;
  }

  append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const appended = this.#last.then(() => this.#append(appends));
    this.#last = appended.catch(() => {});
    return appended;
  }

  async finish(): Promise<void> {
    await this.#last;
  }

  async #append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const started = performance.now();
    const outcomes = new Map<Append, AppendOutcome>();
    for (const group of oncePerStream(appends)) {
      const results = await write(await this.#line.session(), group);
      for (const [index, outcome] of outcomesOf(group, results).entries())
        outcomes.set(group[index], outcome);
    }
    const entries = appends.reduce((sum, { lines }) => sum + lines.length, 0);
    this.#onFlush({ entries, seconds: (performance.now() - started) / 1000 });
    return appends.map((append) => outcomes.get(append)!);
  }
}

/** In a transaction only where it takes several statements: one is a transaction by itself, and half the journeys. */
async function write(session: Session, appends: readonly Append[]): Promise<readonly Result[]> {
  const statements = appendStatements(appends);
  const [entries] = statements;
  if (appends.length === 1 && statements.length === 1) return [await session.query(entries)];
  await session.query({ text: "BEGIN" });
  const [, ...results] = await session.commit([
    lockStatement(appends.map(({ stream }) => stream)),
    ...statements,
  ]);
  return results;
}

/** Several appends to one stream follow each other: one statement cannot see what itself has written. */
function oncePerStream(appends: readonly Append[]): Append[][] {
  const groups: Append[][] = [];
  const seen = new Map<StreamName, number>();
  for (const append of appends) {
    const group = seen.get(append.stream) ?? 0;
    seen.set(append.stream, group + 1);
    groups[group] ??= [];
    groups[group].push(append);
  }
  return groups;
}
