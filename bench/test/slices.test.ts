import assert from "node:assert/strict";
import { test } from "node:test";
import { LatencyHistogram } from "../src/latency-histogram.ts";
import { Progress } from "../src/progress.ts";
import { alternate, type Contender } from "../src/slices.ts";

test("what a slice has caused is waited for before anybody else has a turn", async () => {
  const done: string[] = [];
  const contender = (name: string, causes: boolean): Contender => ({
    name,
    pid: process.pid,
    prepare: () => void done.push(`${name} prepares`),
    async run() {
      done.push(`${name} runs`);
      return { answered: 1, elapsedMs: 1, latency: new LatencyHistogram() };
    },
    ...(causes && { settle: async () => void done.push(`${name} settles`) }),
  });
  const silent = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  const progress = new Progress(4, silent);
  const { sides } = await alternate([contender("one", true), contender("other", false)], {
    ...{ rounds: 1, warmUps: 1, rerunsMax: 0, progress },
  });
  const turn = ["one prepares", "one runs", "one settles", "other prepares", "other runs"];
  assert.deepEqual(done, [...turn, ...turn]);
  assert.deepEqual(
    sides.map(({ name, slices }) => [name, slices.length]),
    [
      ["one", 1],
      ["other", 1],
    ],
  );
});
