import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../src/flood/attacks.ts";
import type { Measured } from "../src/flood/measuring/measurements.ts";
import { parseFloodOptions } from "../src/flood/options.ts";
import { hasPassed, reportText } from "../src/flood/report.ts";
import { isFlat, megabyte, shortcomingsOf } from "../src/flood/verdicts.ts";
import { OptionError } from "../src/options.ts";

const latency = { requests: 300, p50Ms: 1, p99Ms: 250, maxMs: 900 };
const withstood: Measured = {
  latency: { before: latency, during: latency, after: latency },
  failures: [],
  memory: memory(200, 300, 300, 0),
  diskGrowthBytes: 0,
  isAlive: true,
  death: undefined,
  goodput: { peakPerSecond: 1_000, overloadPerSecond: 900 },
  report: { counts: { 429: 12 }, goodput: [], refused: [] },
  slices: { disturbed: 0, keptDisturbed: 0 },
};

function memory(before: number, peak: number, after: number, late: number) {
  return {
    beforeBytes: before * megabyte,
    peakBytes: peak * megabyte,
    afterBytes: after * megabyte,
    lateGrowthBytes: late * megabyte,
  };
}

test("a server that withstood an attack has no shortcomings, whatever attackers were refused", () => {
  assert.deepEqual(shortcomingsOf(withstood, {}), []);
});

test("each thing that an attack may do to polite people or to the server is a shortcoming", () => {
  const failure = { what: "join", fromMs: 0, toMs: 1, failure: "503 busy" };
  const cases: [Partial<Measured>, RegExp][] = [
    [{ isAlive: false, death: "out of memory" }, /died: out of memory/],
    [{ latency: { ...withstood.latency, during: { ...latency, p99Ms: 251 } } }, /251 ms/],
    [{ latency: { ...withstood.latency, during: { ...latency, requests: 0 } } }, /No polite request/],
    [{ failures: [failure, failure] }, /2 polite requests failed: 2 × join: 503 busy/],
    [{ memory: memory(200, 500, 500, 0) }, /not flat/],
    [{ goodput: { peakPerSecond: 1_000, overloadPerSecond: 899 } }, /0\.90 of the peak/],
    [{ goodput: { peakPerSecond: Number.NaN, overloadPerSecond: 10 } }, /of the peak/],
    [{ report: { counts: { refused: 3 }, goodput: [], refused: ["429"] } }, /3 honest requests/],
  ];
  for (const [change, expected] of cases) {
    const [told, ...others] = shortcomingsOf({ ...withstood, ...change }, {});
    assert.match(told, expected);
    assert.deepEqual(others, []);
  }
});

test("memory is flat if it grew little, and then stood still or was given back", () => {
  assert.ok(isFlat(memory(200, 456, 456, 0), 0));
  assert.ok(!isFlat(memory(200, 457, 200, 0), 0));
  assert.ok(!isFlat(memory(200, 400, 400, 60), 0));
  assert.ok(isFlat(memory(200, 400, 300, 60), 0));
  assert.ok(isFlat(memory(200, 500, 500, 60), 100 * megabyte));
  assert.ok(isFlat(memory(Number.NaN, Number.NaN, Number.NaN, Number.NaN), 0));
});

test("what one person leaves on the disk is judged, what many leave is not", () => {
  const large = { ...withstood, diskGrowthBytes: 17 * megabyte };
  assert.deepEqual(shortcomingsOf(large, {}), []);
  assert.match(shortcomingsOf(large, { isOnePerson: true })[0], /17 MB on the disk/);
});

test("the report names every attack, and an attack that could not be run has not been withstood", () => {
  const [one, other] = attacks;
  const outcomes = [
    { attack: one, measured: withstood },
    { attack: other, error: "the port is taken" },
  ];
  assert.deepEqual(outcomes.map(hasPassed), [true, false]);
  const text = reportText(outcomes, { seconds: 20, surroundings: "quiet" });
  assert.match(text, /1 of 2 withstood/);
  assert.match(text, /the port is taken/);
  for (const { name } of [one, other]) assert.ok(text.includes(name));
});

test("attacks are chosen by name or by the first word of their names, and have names of their own", () => {
  assert.equal(new Set(attacks.map(({ name }) => name)).size, attacks.length);
  const options = parseFloodOptions(["--only", "exports, rooms", "--seconds", "3"], attacks);
  assert.ok(typeof options === "object");
  assert.deepEqual(
    options.only.map(({ name }) => name),
    ["exports", "exports-unread", "rooms"],
  );
  assert.equal(options.seconds, 3);
  assert.throws(() => parseFloodOptions(["--only", "export"], attacks), OptionError);
  assert.throws(() => parseFloodOptions(["--seconds", "0"], attacks), OptionError);
  assert.equal(parseFloodOptions(["--list"], attacks), "list");
});
