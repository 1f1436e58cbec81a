import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { rangeText } from "../../src/wait/browser/duration.ts";
import { languages } from "../../src/wait/texts/languages.ts";

const minute = 60;
const hour = 60 * minute;

describe("[ST2] the estimate in words", () => {
  const cases: [number, number, string, string][] = [
    [0, 0, "less than a minute", "weniger als eine Minute"],
    [5, 60, "up to 1 minute", "bis zu 1 Minute"],
    [61, 119, "about 1 to 2 minutes", "etwa 1 bis 2 Minuten"],
    [250, 350, "about 4 to 6 minutes", "etwa 4 bis 6 Minuten"],
    [9.5 * minute, 12 * minute, "about 9 to 15 minutes", "etwa 9 bis 15 Minuten"],
    [52 * minute, 75 * minute, "about 50 to 80 minutes", "etwa 50 bis 80 Minuten"],
    [50 * minute, 100 * minute, "about 50 minutes to 2 hours", "etwa 50 Minuten bis 2 Stunden"],
    [100 * minute, 140 * minute, "about 1½ to 2½ hours", "etwa 1½ bis 2½ Stunden"],
    [7.2 * hour, 9.1 * hour, "about 7 to 10 hours", "etwa 7 bis 10 Stunden"],
    [90 * hour, 99 * hour, "more than 24 hours", "mehr als 24 Stunden"],
    [600, 60, "about 1 minute", "etwa 1 Minute"],
    [Number.NaN, 60, "not known yet", "noch nicht bekannt"],
  ];
  test("is rounded by its uncertainty, in both languages", () => {
    for (const [lowSeconds, highSeconds, english, german] of cases) {
      assert.equal(rangeText({ lowSeconds, highSeconds }, languages.en.live), english);
      assert.equal(rangeText({ lowSeconds, highSeconds }, languages.de.live), german);
    }
    assert.equal(rangeText(null, languages.en.live), "not known yet");
  });

  test("the text always covers the range", () => {
    const seconds = fc.integer({ min: 60, max: 24 * hour });
    fc.assert(
      fc.property(seconds, seconds, (a, b) => {
        const [lowSeconds, highSeconds] = [Math.min(a, b), Math.max(a, b)];
        const text = rangeText({ lowSeconds, highSeconds }, languages.en.live);
        const found = /^about ([\d½]+)(?: (minutes?|hours?))?(?: to ([\d½]+) (minutes?|hours?))?$/.exec(text);
        assert.ok(found, text);
        const [, first, firstUnit, second = first, lastUnit = firstUnit] = found;
        assert.ok(secondsOf(first, firstUnit ?? lastUnit) <= lowSeconds, text);
        assert.ok(secondsOf(second, lastUnit) >= highSeconds, text);
      }),
    );
  });
});

function secondsOf(amount: string, unit: string): number {
  const value = Number(amount.replace("½", "") || 0) + (amount.endsWith("½") ? 0.5 : 0);
  return value * (unit.startsWith("hour") ? hour : minute);
}
