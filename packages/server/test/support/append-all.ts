import assert from "node:assert/strict";
import type { Append, AppendOutcome, Log } from "../../src/log/log.ts";

/** Appends to several streams in one commit: each is stored if its stream is at `after`, and conflicts otherwise. */
export async function appendAll(log: Log, appends: readonly Append[]): Promise<AppendOutcome[]> {
  const heads = await log.heads(appends.map(({ stream }) => stream));
  const wanted = appends.map(({ stream }, index) => {
    const { version, hash } = heads[index] ?? { version: 0, hash: "" };
    return { stream, after: version, hash };
  });
  const outcomes = await log.commit(wanted, () => appends);
  return outcomes.map((outcome) => {
    assert.ok(outcome === "committed" || outcome === "conflict", outcome);
    return outcome === "committed" ? "appended" : "conflict";
  });
}
