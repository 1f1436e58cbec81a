import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  cellAfter,
  cellName,
  choiceOf,
  landingCell,
  moveName,
  rowsOf,
  seatOf,
} from "../../src/arena/table/cells.ts";
import { dropping, sight, throwing, ticTacToe } from "./stage.ts";

describe("names of cells for screen readers", () => {
  const [cell] = ticTacToe.cells;
  test("contain the position and the content", () => {
    assert.equal(cellName(cell, null, undefined), "row 1, column 1, empty");
    assert.equal(cellName(cell, "X", undefined), "row 1, column 1, X");
    assert.equal(cellName(cell, "X", "winning line"), "row 1, column 1, X, winning line");
    assert.equal(cellName(cell, "O", "last move"), "row 1, column 1, O, last move");
  });
});

describe("moving over the cells by keyboard", () => {
  const after = (key: string, from: number) => cellAfter(key, from, 3, 9);
  test("arrows go one cell, and stop at the edge", () => {
    assert.deepEqual(
      ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].map((key) => after(key, 4)),
      [3, 5, 1, 7],
    );
    assert.deepEqual(
      [after("ArrowLeft", 3), after("ArrowRight", 5), after("ArrowUp", 1), after("ArrowDown", 7)],
      [3, 5, 1, 7],
    );
  });
  test("Home and End stay in the row, Page Up and Page Down in the column", () => {
    assert.deepEqual(
      ["Home", "End", "PageUp", "PageDown"].map((key) => after(key, 4)),
      [3, 5, 1, 7],
    );
  });
  test("never leads to a missing cell, even if the last row is short", () => {
    for (const key of [
      "ArrowLeft",
      "ArrowRight",
      "ArrowUp",
      "ArrowDown",
      "Home",
      "End",
      "PageUp",
      "PageDown",
    ])
      for (let from = 0; from < 8; from++) {
        const to = cellAfter(key, from, 3, 8);
        assert.ok(to !== undefined && to >= 0 && to < 8, `${key} from ${from} to ${to}`);
      }
  });
  test("other keys are ignored", () => assert.equal(after("Tab", 4), undefined));
});

describe("where a move shows", () => {
  test("rows follow the number of columns", () => {
    assert.deepEqual(rowsOf(ticTacToe), [
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
    ]);
  });
  test("on its cell, or on the lowest free cell of its column", () => {
    assert.equal(landingCell(ticTacToe, sight, "b2"), 4);
    assert.equal(landingCell(dropping, sight, "b"), 7);
    const cells = sight.cells.with(7, "X");
    assert.equal(landingCell(dropping, { ...sight, cells }, "b"), 4);
    assert.equal(landingCell(dropping, null, "b"), 7);
  });
  test("a move is named by its cell, its choice, or the marked cell", () => {
    assert.equal(moveName(ticTacToe, "b2"), "row 2, column 2");
    assert.equal(moveName(throwing, "rock"), "ROCK");
    assert.equal(moveName(dropping, "b", { ...sight, marked: [7] }), "row 3, column 2");
    assert.equal(moveName(dropping, "b"), "b");
    assert.equal(moveName(null, "e4"), "e4");
  });
});

test("number keys choose, as far as there are choices", () => {
  assert.deepEqual(
    ["1", "3", "4", "0", "a"].map((key) => choiceOf(throwing, key)),
    ["rock", "scissors", undefined, undefined, undefined],
  );
});

test("an unknown label has no seat", () => {
  assert.deepEqual([seatOf(["X", "O"], "O"), seatOf(["X", "O"], "?")], [1, -1]);
});
