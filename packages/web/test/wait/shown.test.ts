import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Pulse, WaitState } from "../../src/index.ts";
import { positionNow, progressOf } from "../../src/wait/browser/position.ts";
import { afterPulse, afterState, firstShown, type Shown } from "../../src/wait/browser/shown.ts";
import { sayingText, viewOf } from "../../src/wait/browser/view.ts";
import { languages } from "../../src/wait/texts/languages.ts";
import { waitingState } from "./stage.ts";

const texts = languages.en.live;
const startMs = 1_000_000;
const first = firstShown(waitingState, startMs);

function pulse(moved: number, more: Partial<Pulse> = {}): Pulse {
  return { version: moved, moved, waiting: 800, admittedLastMinute: 30, paused: false, ...more };
}

function stateWith(more: Partial<WaitState>): WaitState {
  return { ...waitingState, ...more };
}

function happening(shown: Shown): string {
  return viewOf(shown, "Shop", texts).happening;
}

describe("[FD3] the position between two states", () => {
  test("falls by the number of people let in since", () => {
    assert.equal(positionNow(waitingState, 1_000), 142);
    assert.equal(positionNow(waitingState, 1_012), 130);
    assert.equal(afterPulse(first, pulse(1_012), startMs).position, 130);
  });

  test("is at least 1, and never pushed back by an old pulse", () => {
    assert.equal(positionNow(waitingState, 99_999), 1);
    assert.equal(positionNow(waitingState, 900), 142);
    const later = afterPulse(afterPulse(first, pulse(1_012), startMs), pulse(1_010), startMs);
    assert.equal(later.position, 130);
  });

  test("does not go up and down when a pulse overtakes an answer that was on its way", () => {
    const pulsed = afterPulse(first, pulse(1_012), startMs);
    const answered = afterState(pulsed, stateWith({ moved: 1_010, position: 132 }), startMs + 300);
    assert.deepEqual([answered.position, answered.note], [130, undefined]);
  });

  test("is taken from the state when the last pulse is old", () => {
    const pulsed = afterPulse(first, pulse(1_012), startMs);
    const answered = afterState(pulsed, stateWith({ moved: 0, position: 132 }), startMs + 60_000);
    assert.equal(answered.position, 132);
  });

  test("uses the other fields of a pulse too", () => {
    const { waiting, admittedLastMinute, paused } = afterPulse(
      first,
      pulse(1_001, { paused: true }),
      startMs,
    );
    assert.deepEqual(
      { waiting, admittedLastMinute, paused },
      { waiting: 800, admittedLastMinute: 30, paused: true },
    );
  });

  test("the most advanced pulse wins in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 900, max: 1_400 }), { minLength: 1 }), (counts) => {
        let shown = first;
        for (const moved of counts) {
          const next = afterPulse(shown, pulse(moved), startMs);
          assert.ok(next.position <= shown.position);
          shown = next;
        }
        assert.equal(shown.position, positionNow(waitingState, Math.max(1_000, ...counts)));
      }),
    );
  });
});

describe("the progress bar", () => {
  test("goes from the entry to the turn, and never below its start", () => {
    assert.equal(progressOf(100, 99), 0);
    assert.equal(progressOf(640, 640), 0);
    assert.ok(progressOf(1, 640) > 0.99);
    assert.equal(progressOf(1, 1), 0, "a newcomer has nothing behind them, not even at the front");
    assert.equal(progressOf(1, 2), 0.5);
    assert.equal(progressOf(900, 640), 0);
    assert.equal(viewOf(first, "Shop", texts).percent, 77);
  });
});

describe("[LN6] a position that gets worse", () => {
  const overtaken = afterState(first, stateWith({ position: 144 }), startMs + 1_000);

  test("is explained on the screen and announced", () => {
    const sentence = "Your position went from 142 to 144: people with priority were placed ahead of you.";
    assert.equal(happening(overtaken), sentence);
    assert.equal(sayingText(overtaken, viewOf(overtaken, "Shop", texts), texts), sentence);
  });

  test("stays explained for a while, and is announced only once", () => {
    const soon = afterPulse(overtaken, pulse(1_001), startMs + 20_000);
    assert.match(happening(soon), /from 142 to 144/);
    assert.equal(soon.saying, undefined);
    const later = afterPulse(soon, pulse(1_002), startMs + 40_000);
    assert.equal(happening(later), "30 people were let in during the last minute.");
  });

  test("is not explained for a new place", () => {
    const anew = afterState(first, stateWith({ position: 700, enteredPosition: 700 }), startMs + 1_000);
    assert.equal(anew.note, undefined);
  });
});

describe("a line that moves more slowly", () => {
  test("is explained when the estimate rises", () => {
    const estimate = { lowSeconds: 900, highSeconds: 1_200 };
    const slower = afterState(first, stateWith({ estimate }), startMs + 6_000);
    assert.deepEqual(slower.estimate.estimate, estimate);
    assert.equal(happening(slower), "The line is moving more slowly than before, so the estimate went up.");
  });
});

describe("announcements", () => {
  test("your turn, at once", () => {
    const admitted = afterState(first, stateWith({ status: "admitted" }), startMs + 100);
    assert.equal(admitted.saying, "your-turn");
    assert.equal(sayingText(admitted, viewOf(admitted, "Shop", texts), texts), texts.said.yourTurn);
    assert.equal(afterState(admitted, stateWith({ status: "admitted" }), startMs + 200).saying, undefined);
  });

  test("the end of a place, with its reason", () => {
    const gone = afterState(first, stateWith({ status: "gone", reason: "claim_timeout" }), startMs + 100);
    assert.match(
      sayingText(gone, viewOf(gone, "Shop", texts), texts),
      /^Your turn has passed\. It was your turn/,
    );
  });

  test("a pause and its end, once each", () => {
    const paused = afterPulse(first, pulse(1_000, { paused: true }), startMs + 100);
    assert.equal(paused.saying, "paused");
    assert.equal(afterPulse(paused, pulse(1_000, { paused: true }), startMs + 200).saying, undefined);
    assert.equal(afterPulse(paused, pulse(1_000), startMs + 300).saying, "resumed");
    assert.equal(viewOf(paused, "Shop", texts).estimate, "paused");
  });

  test("the position with the estimate; at the front, that the person is next", () => {
    const nearer = afterPulse(first, pulse(1_050), startMs + 31_000);
    assert.equal(nearer.saying, "position");
    assert.equal(
      sayingText(nearer, viewOf(nearer, "Shop", texts), texts),
      "Your position is 92. Estimated wait: about 4 to 6 minutes.",
    );
    const next = afterPulse(nearer, pulse(1_141), startMs + 62_000);
    assert.equal(sayingText(next, viewOf(next, "Shop", texts), texts), "You are next.");
  });

  test("at most twice a minute, however often the line moves", () => {
    let shown = firstShown(stateWith({ position: 5_000, enteredPosition: 5_000 }), startMs);
    let said = 0;
    for (let tick = 1; tick <= 240 * 4; tick++) {
      shown = afterPulse(shown, pulse(1_000 + tick * 5), startMs + tick * 250);
      if (shown.saying) said += 1;
    }
    assert.ok(said >= 3 && said <= 8, `${said} times in four minutes`);
  });
});

test("the document title shows the state", () => {
  const titleOf = (more: Partial<WaitState>) =>
    viewOf(firstShown(stateWith(more), 0), "Shop", texts).documentTitle;
  assert.equal(titleOf({ position: 12_480 }), "12,480 · Shop");
  for (const status of ["admitted", "active"] as const) assert.equal(titleOf({ status }), "Your turn — Shop");
  assert.equal(titleOf({ status: "gone", reason: "left" }), "You have left the line · Shop");
});

describe("[LN12] someone who comes back", () => {
  const { away } = texts.happening;

  test("sees that others may have gone in first, and that the place is kept", () => {
    assert.equal(happening(firstShown(stateWith({ away: true }), startMs)), away);
    assert.notEqual(happening(first), away);
  });

  test("has half a minute to read it, though the place is back at once", () => {
    const told = afterState(first, stateWith({ away: true }), startMs);
    const back = afterState(told, waitingState, startMs + 100);
    assert.equal(happening(back), away);
    assert.notEqual(happening(afterState(back, waitingState, startMs + 31_000)), away);
  });
});
