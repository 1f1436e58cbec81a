import assert from "node:assert/strict";
import { test } from "node:test";
import { MovesUnderWay } from "../src/arenas/moves-under-way.ts";
import { LoadError } from "../src/load.ts";

test("a move counts when the last of the viewers has seen it, also with the next one under way", () => {
  const moves = new MovesUnderWay(3);
  moves.send(5, 100);
  assert.equal(moves.see(5), undefined);
  assert.equal(moves.see(5), undefined);
  moves.send(6, 200);
  assert.equal(moves.see(6), undefined);
  assert.equal(moves.see(5), 100);
  assert.equal(moves.see(6), undefined);
  assert.equal(moves.see(6), 200);
});

test("what nobody has sent does not count, nor what comes after the last", () => {
  const moves = new MovesUnderWay(1);
  assert.equal(moves.see(0), undefined);
  assert.equal(moves.see(3), undefined);
  moves.send(3, 7);
  assert.equal(moves.see(3 + 64), undefined);
  assert.equal(moves.see(3), 7);
  assert.equal(moves.see(3), undefined);
});

test("a viewer who is left behind is found out", () => {
  const moves = new MovesUnderWay(2);
  moves.send(1, 0);
  moves.see(1);
  assert.throws(() => moves.send(1 + 64, 1), LoadError);
});
