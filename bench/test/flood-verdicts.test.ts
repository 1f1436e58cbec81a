import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../src/flood/attacks.ts";
import type { Measured } from "../src/flood/measuring/measurements.ts";
import { hasPassed, reportText } from "../src/flood/report.ts";
import { absenceOf, isFlat, megabyte, shortcomingsOf } from "../src/flood/verdicts.ts";

const latency = { requests: 300, p50Ms: 1, p99Ms: 250, maxMs: 900 };
const goodput = {
  peakPerSecond: 1_000,
  offeredPerSecond: 3_000,
  heldBackPerSecond: 1_500,
  overloadPerSecond: 900,
};
const withstood: Measured = {
  latency: { before: latency, during: latency, after: latency },
  requests: 700,
  failures: [],
  memory: memory(200, 300, 300, 0),
  retainedGrowthBytes: 0,
  diskGrowthBytes: 0,
  isAlive: true,
  death: undefined,
  goodput,
  report: reported({ 429: 12 }),
  slices: { replaced: 0, counted: 0 },
};

function memory(before: number, peak: number, after: number, late: number) {
  return {
    beforeBytes: before * megabyte,
    peakBytes: peak * megabyte,
    afterBytes: after * megabyte,
    lateGrowthBytes: late * megabyte,
  };
}

function reported(counts: Record<string, number>, refused: string[] = []): Measured["report"] {
  return { counts: { opened: 8, ...counts }, goodput: [], refused };
}

test("a server that withstood an attack has no shortcomings, whatever attackers were refused", () => {
  assert.deepEqual(shortcomingsOf(withstood, {}), []);
});

test("each thing that an attack may do to polite people or to the server is a shortcoming", () => {
  const failure = { what: "join", fromMs: 0, toMs: 1, failure: "503 busy" };
  const cases: [Partial<Measured>, RegExp][] = [
    [{ isAlive: false, death: "out of memory", retainedGrowthBytes: Number.NaN }, /died: out of memory/],
    [{ latency: { ...withstood.latency, during: { ...latency, p99Ms: 251 } } }, /251 ms/],
    [{ latency: { ...withstood.latency, during: { ...latency, requests: 0 } } }, /No polite request/],
    [{ failures: [failure, failure] }, /2 polite requests failed: 2 × join: 503 busy/],
    [{ memory: memory(200, 500, 500, 0) }, /not flat/],
    [{ retainedGrowthBytes: 17 * megabyte }, /holds 17 MB more/],
    [{ goodput: { ...goodput, overloadPerSecond: 899 } }, /0\.90 of the peak/],
    [{ goodput: { ...goodput, offeredPerSecond: 2_990 } }, /2\.99 times the capacity was offered/],
    [{ goodput: { ...goodput, overloadPerSecond: 1_100 } }, /2\.73 times the capacity was offered/],
    [{ report: reported({ refused: 3 }, ["429"]) }, /3 honest requests/],
  ];
  for (const [change, expected] of cases) {
    const [told, ...others] = shortcomingsOf({ ...withstood, ...change }, {});
    assert.match(told, expected);
    assert.deepEqual(others, []);
  }
});

test("an overload of which nothing is known is not withstood", () => {
  const unknown = { ...goodput, peakPerSecond: Number.NaN };
  assert.equal(shortcomingsOf({ ...withstood, goodput: unknown }, {}).length, 2);
});

test("an attack without a connection did not run, and says why", () => {
  const cutReason = "connect EADDRNOTAVAIL 127.0.0.1:20000";
  const report = { counts: { cut: 40 }, goodput: [], refused: [], cutReason };
  assert.match(absenceOf(report, {})[0], /did not run: .* \(connect EADDRNOTAVAIL/);
  assert.match(shortcomingsOf({ ...withstood, report }, {})[0], /did not run/);
});

test("an attack that never reached what it aims at did not run", () => {
  assert.match(absenceOf(reported({ 404: 9_000, cut: 3 }), {})[0], /all its requests were answered 404/);
  assert.deepEqual(absenceOf(reported({ 404: 9_000, 429: 1 }), {}), []);
  assert.deepEqual(absenceOf(reported({ pings: 4_000 }), {}), []);
});

test("an attack must reach the size that it says it has", () => {
  const terms = { countsMin: { addresses: 100_001 } };
  assert.match(absenceOf(reported({ addresses: 100_000 }), terms)[0], /not run in full: 100,000 × addresses/);
  assert.deepEqual(absenceOf(reported({ addresses: 100_001 }), terms), []);
});

test("a limit that attackers got around is a shortcoming", () => {
  const terms = { countsMax: { 201: 6_500 } };
  assert.deepEqual(shortcomingsOf({ ...withstood, report: reported({ 201: 6_500 }) }, terms), []);
  const [told] = shortcomingsOf({ ...withstood, report: reported({ 201: 6_501 }) }, terms);
  assert.match(told, /evaded: 6,501 × 201/);
});

test("memory is flat if it grew little, and stood still in the end", () => {
  assert.ok(isFlat(memory(200, 456, 456, 32), 0));
  assert.ok(!isFlat(memory(200, 457, 200, 0), 0));
  assert.ok(!isFlat(memory(200, 400, 200, 33), 0));
  assert.ok(isFlat(memory(200, 500, 500, 60), 100 * megabyte));
  assert.ok(isFlat(memory(Number.NaN, Number.NaN, Number.NaN, Number.NaN), 0));
});

test("the server may hold what it rightly keeps of each request with a good answer, and not more", () => {
  const report = reported({ 201: 50, "201 too late": 50, 429: 1_000 });
  const measured = { ...withstood, report, retainedGrowthBytes: 116 * megabyte };
  assert.deepEqual(shortcomingsOf(measured, { keptBytesEach: megabyte }), []);
  assert.match(shortcomingsOf(measured, { keptBytesEach: megabyte - 1 })[0], /holds 116 MB more/);
  assert.deepEqual(shortcomingsOf(measured, { keptBytesEach: megabyte, keptMax: 100 }), []);
  assert.match(shortcomingsOf(measured, { keptBytesEach: megabyte, keptMax: 99 })[0], /holds 116 MB more/);
});

test("what one person leaves on the disk is judged, what many leave is not", () => {
  const large = { ...withstood, diskGrowthBytes: 17 * megabyte };
  assert.deepEqual(shortcomingsOf(large, {}), []);
  assert.match(shortcomingsOf(large, { isOnePerson: true })[0], /17 MB on the disk/);
});

test("the report names every attack, and an attack that could not be run has not been withstood", () => {
  const [one, other] = attacks;
  const outcomes = [
    { attack: one, measured: { ...withstood, slices: { replaced: 4, counted: 2 } } },
    { attack: other, error: "The attack did not run: the port is taken" },
  ];
  assert.deepEqual(outcomes.map(hasPassed), [true, false]);
  const text = reportText(outcomes, { seconds: 20, surroundings: "quiet" });
  assert.match(text, /1 of 2 withstood/);
  assert.match(text, /DID NOT RUN/);
  assert.match(text, /the port is taken/);
  assert.match(text, /4 disturbed slices were run again/);
  assert.match(text, /2 disturbed slices count/);
  for (const { name } of [one, other]) assert.ok(text.includes(name));
});
