import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ArenaChange } from "@openseat/client";
import { sceneAfter, withRecent } from "../../src/arena/scene.ts";
import { ann, bob, ended, playing, seated, sight, viewOf, waiting } from "./stage.ts";

const first = sceneAfter(undefined, viewOf(), [], bob.id, 0);

function next(
  state: Parameters<typeof viewOf>[0],
  changes: readonly ArenaChange[] = [],
  before = first,
  me = bob.id,
) {
  return sceneAfter(before, viewOf(state), changes, me, 1_000);
}

describe("what a screen reader says", () => {
  test("another player's move by its cell, and your turn", () => {
    const match = { ...playing.match!, toMove: ["O"], moves: 1 };
    const mine = { match, you: seated("O", ["a1"]) };
    const before = sceneAfter(undefined, viewOf({ you: seated("O") }), [], bob.id, 0);
    const scene = next(mine, [{ type: "moved", label: "X", move: "b2" }], before);
    assert.equal(scene.said.text, "Ann played row 2, column 2. Your turn.");
  });

  test("nothing for the viewer's own move", () => {
    const before = sceneAfter(undefined, viewOf({ you: seated("X", ["b2"]) }), [], ann.id, 0);
    const match = { ...playing.match!, toMove: ["O"], moves: 1 };
    const scene = next(
      { match, you: seated("X") },
      [{ type: "moved", label: "X", move: "b2" }],
      before,
      ann.id,
    );
    assert.deepEqual(scene.said, before.said);
  });

  test("the end of a match, and what comes next", () => {
    const result = { type: "match-ended", result: ended } as const;
    const scene = next({ lastMatch: ended, you: waiting(3) }, [result]);
    assert.equal(scene.said.text, "Ann wins. You go to the back of the line: position 3.");
  });

  test("a new position, a seat, and leaving", () => {
    const inLine = next({ you: waiting(2) });
    assert.equal(inLine.said.text, "You are at position 2.");
    const nextUp = next({ you: waiting(1) }, [], inLine);
    assert.equal(nextUp.said.text, "You are next.");
    const up = next({ you: seated("O") }, [], nextUp);
    assert.equal(up.said.text, "You play O.");
    assert.equal(next({ you: null }, [], up).said.text, "You have left.");
  });

  test("a round of a game of choices, and the turn that follows it", () => {
    const before = sceneAfter(undefined, viewOf({ you: seated("X", ["rock"]) }), [], ann.id, 0);
    const match = {
      ...playing.match!,
      moves: 2,
      sight: { ...sight, notes: ["Round 1: both throw rock, nobody wins."] },
    };
    const scene = next({ match, you: seated("X", ["rock"]) }, [], before, ann.id);
    assert.equal(scene.said.text, "Round 1: both throw rock, nobody wins. Your turn.");
  });

  test("the same text again counts as a new announcement", () => {
    const once = next({ you: waiting(2) });
    const twice = next({ you: waiting(2) }, [], next({ you: null }, [], once));
    assert.equal(twice.said.text, once.said.text);
    assert.notEqual(twice.said.number, once.said.number);
  });
});

describe("what it sounds like", () => {
  test("the end of the viewer's match, a seat, their turn, a move; silence at first", () => {
    assert.equal(first.sound.name, undefined);
    assert.equal(next({ lastMatch: ended, you: waiting(1) }).sound.name, "lost");
    assert.equal(next({ lastMatch: { ...ended, winner: null }, you: waiting(1) }).sound.name, "draw");
    assert.equal(next({ lastMatch: ended }, [], first, ann.id).sound.name, "won");
    assert.equal(next({ you: seated("O") }).sound.name, "seated");
    const before = sceneAfter(undefined, viewOf({ you: seated("O") }), [], bob.id, 0);
    const match = { ...playing.match!, toMove: ["O"], moves: 1 };
    assert.equal(next({ match, you: seated("O", ["a1"]) }, [], before).sound.name, "your-turn");
    assert.equal(next({ match }).sound.name, "move");
    assert.equal(next({}).sound.name, undefined);
  });
});

describe("what the page remembers", () => {
  test("why a place was lost, until there is a new one", () => {
    const left = (reason: string): ArenaChange[] => [
      { type: "left", userId: bob.id, person: bob.id, reason },
    ];
    const gone = next({ you: null }, left("heartbeat_timeout"));
    assert.match(gone.lost ?? "", /connection was lost/);
    assert.match(next({ you: null }, [], gone).lost ?? "", /connection was lost/);
    assert.equal(next({ you: waiting(1) }, [], gone).lost, undefined);
    assert.match(next({ you: null }, left("forfeited")).lost ?? "", /twice in a row/);
    assert.equal(
      next({ you: null }, left("left")).lost,
      undefined,
      "a player who leaves on purpose knows why",
    );
    assert.equal(
      next({ you: null }, [{ type: "left", userId: ann.id, person: ann.id, reason: "forfeited" }]).lost,
      undefined,
    );
  });

  test("recent matches, newest first, without duplicates and up to a maximum", () => {
    const older = Array.from({ length: 12 }, (_, index) => ({ ...ended, id: String(index), number: index }));
    const scene = next({ lastMatch: { ...ended, id: "99", number: 99 } }, [], withRecent(first, older));
    assert.deepEqual(
      scene.recent.map(({ number }) => number),
      [99, 11, 10, 9, 8, 7, 6, 5],
    );
    assert.equal(withRecent(scene, scene.recent).recent.length, 8);
  });

  test("since when the match on the table has been seen", () => {
    assert.equal(first.matchSinceMs, 0);
    assert.equal(next({}).matchSinceMs, 0);
    assert.equal(next({ match: { ...playing.match!, id: "30" } }).matchSinceMs, 1_000);
  });
});
