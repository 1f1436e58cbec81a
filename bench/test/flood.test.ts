import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../src/children.ts";
import { Attackers } from "../src/flood/attackers/attackers.ts";
import { attackNamed } from "../src/flood/attacks.ts";
import { Reruns } from "../src/flood/measuring/quiet-slices.ts";
import { runAttack } from "../src/flood/run-attack.ts";
import { absenceOf } from "../src/flood/verdicts.ts";
import { openseatProgram } from "../src/openseat-server.ts";
import { Progress } from "../src/progress.ts";

const guests = attackNamed("guests");

/** Slow machines cause these failures of polite requests; `npm run flood` judges them, not this test. */
const slowness = /no answer in/;

test("polite people are served during an attack", async () => {
  // A slow machine must not make the server refuse work.
  const attack = { ...guests, settings: { OPENSEAT_OVERLOAD_DELAY_MS: "60000" } };
  const measured = await runAttack(attack, {
    program: openseatProgram,
    lengths: { warmUpMs: 0, beforeSeconds: 1, duringSeconds: 1, recoverySeconds: 0, afterSeconds: 1 },
    progress: new Progress(1, process.stderr),
    reruns: new Reruns(0),
  });
  assert.ok(measured.isAlive);
  assert.ok(measured.requests > 0);
  assert.deepEqual(
    measured.failures.filter(({ failure }) => !slowness.test(failure as string)),
    [],
  );
  assert.deepEqual(absenceOf(measured.report, {}), []);
  assert.ok(measured.retainedGrowthBytes < 2 ** 30);
});

test("attackers that cannot connect report that they did not begin, and why", async () => {
  const nowhere = { host: "127.0.0.1", port: await freePort() };
  const attackers = new Attackers(guests, [{}], nowhere, 120);
  const hasBegun = await attackers.begin(2_000);
  assert.equal(hasBegun, false);
  const report = await attackers.stop();
  assert.equal(report.counts.opened, undefined);
  assert.match(absenceOf(report, {})[0], /did not run/);
});
