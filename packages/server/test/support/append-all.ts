import assert from "node:assert/strict";
import type { Append, AppendOutcome, Log, StreamName } from "../../src/log/log.ts";

/** A log takes only so many commits at once: those of tests come one after the other. */
const last = new WeakMap<Log, Promise<unknown>>();

/** Appends what a test gives, wherever the streams are: each is stored if its stream is at `after`, and conflicts otherwise. */
export function appendAll(log: Log, appends: readonly Append[]): Promise<AppendOutcome[]> {
  const appended = Promise.resolve(last.get(log)).then(() => appendNow(log, appends));
  last.set(
    log,
    appended.catch(() => {}),
  );
  return appended;
}

async function appendNow(log: Log, appends: readonly Append[]): Promise<AppendOutcome[]> {
  const outcomes = new Map<Append, AppendOutcome>();
  for (const group of oncePerStream(appends)) {
    const wanted = await Promise.all(
      group.map(async ({ stream }) => {
        const { version, hash } = (await log.head(stream)) ?? { version: 0, hash: "" };
        return { stream, after: version, hash };
      }),
    );
    const committed = await log.commit(wanted, () => group);
    for (const [index, outcome] of committed.entries()) {
      assert.ok(outcome === "committed" || outcome === "conflict", outcome);
      outcomes.set(group[index], outcome === "committed" ? "appended" : "conflict");
    }
  }
  return appends.map((each) => outcomes.get(each)!);
}

/** A commit has each stream once. */
function oncePerStream(appends: readonly Append[]): Append[][] {
  const groups: Append[][] = [];
  const seen = new Map<StreamName, number>();
  for (const each of appends) {
    const group = seen.get(each.stream) ?? 0;
    seen.set(each.stream, group + 1);
    groups[group] ??= [];
    groups[group].push(each);
  }
  return groups;
}
