import assert from "node:assert/strict";
import { test } from "node:test";
import { readSighting } from "../src/arenas/view-reader.ts";

function read(message: object) {
  const bytes = Buffer.from(`....${JSON.stringify(message)}"]}}}`);
  const { version, turn } = readSighting(bytes, 4, bytes.length - 5);
  return { version, turn };
}

const waiting = { ticket: 3, state: "waiting", label: null, position: 1, moves: [] };
const seated = { ticket: 1, state: "seated", label: "X", position: null, moves: ["a1", "b2"] };
const match = { id: "41", number: 7, turn: 12, toMove: ["X"], sight: { cells: [null, "O"] } };
const lastMatch = { id: "40", number: 6, reason: "played" };
const changes = [{ type: "match-started", match: "41", number: 7 }];

function change(you: object | null): object {
  return { type: "change", version: 120, arena: "a", changes, state: { players: [], lastMatch, match, you } };
}

test("whose turn it is not sees only how far the arena is", () => {
  const nothing = { version: 120, turn: undefined };
  assert.deepEqual(read(change(waiting)), nothing);
  assert.deepEqual(read(change(null)), nothing);
  assert.deepEqual(read(change({ ...seated, moves: [] })), nothing);
  const sight = { cells: [null, "O"], chosen: null };
  const alone = { type: "change", version: 120, arena: "a", changes, state: { match: { ...match, sight } } };
  assert.deepEqual(read(alone), nothing);
});

test("whose turn it is sees the running match and every move", () => {
  const turn = { match: "41", turn: 12, moves: ["a1", "b2"] };
  assert.deepEqual(read(change(seated)), { version: 120, turn });
  const one = { match: "41", turn: 12, moves: ["c3"] };
  assert.deepEqual(read(change({ ...seated, moves: ["c3"] })), { version: 120, turn: one });
});

test("views, changes without a state and fields in any other order are read as well", () => {
  const turn = { match: "41", turn: 12, moves: ["a1", "b2"] };
  assert.deepEqual(read({ type: "view", arena: {}, state: { match, you: seated }, version: 9 }), {
    version: 9,
    turn,
  });
  assert.deepEqual(read({ state: { you: seated, match }, version: 5, type: "change" }), { version: 5, turn });
  assert.deepEqual(read({ type: "change", version: 6, state: { you: seated, match } }), { version: 6, turn });
  assert.deepEqual(read({ type: "change", version: 7, changes }), { version: 7, turn: undefined });
});
