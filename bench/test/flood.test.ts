import assert from "node:assert/strict";
import { test } from "node:test";
import { attackNamed } from "../src/flood/attacks.ts";
import { Reruns } from "../src/flood/measuring/quiet-slices.ts";
import { runAttack } from "../src/flood/run-attack.ts";
import { openseatProgram } from "../src/openseat-server.ts";
import { Progress } from "../src/progress.ts";

test("an attack runs beside polite people, who are served before and during it", async () => {
  const measured = await runAttack(attackNamed("guests"), {
    program: openseatProgram,
    lengths: { warmUpMs: 0, beforeSeconds: 1, duringSeconds: 1, recoverySeconds: 0, afterSeconds: 1 },
    progress: new Progress(1, process.stderr),
    reruns: new Reruns(0),
  });
  assert.ok(measured.isAlive);
  assert.deepEqual(measured.failures, []);
  const { before, during } = measured.latency;
  for (const { requests, p99Ms } of [before, during]) assert.ok(requests > 0 && p99Ms > 0);
  assert.ok(Object.values(measured.report.counts).some((times) => times > 0));
});
