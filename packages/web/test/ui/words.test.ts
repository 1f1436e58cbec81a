import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, ahead, gameTitle, listed, people, span, streak } from "../../src/ui/words.ts";

test("numbers and people", () => {
  assert.deepEqual([people(1), people(1_234)], ["1 person", "1,234 people"]);
  assert.deepEqual([ahead(1), ahead(3)], ["1 person is ahead of you.", "3 people are ahead of you."]);
  assert.deepEqual([listed([]), listed(["A"]), listed(["A", "B", "C"])], ["", "A", "A, B and C"]);
  assert.deepEqual([streak(0), streak(1), streak(3)], ["", "1 win", "3 wins in a row"]);
});

test("rounded times", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  assert.deepEqual(
    ["2030-01-01T11:59:55Z", "2030-01-01T11:59:20Z", "2030-01-01T11:57:00Z", "2030-01-01T07:00:00Z"].map(
      (then) => ago(then, now),
    ),
    ["just now", "40 seconds ago", "3 minutes ago", "5 hours ago"],
  );
  assert.equal(span(3 * 86_400_000), "3 days");
});

test("titles of games, with and without a built-in title", () => {
  assert.deepEqual(
    ["tic-tac-toe", "connect-four", "rock-paper-scissors", "nine-holes", null].map(gameTitle),
    ["Tic-tac-toe", "Connect four", "Rock, paper, scissors", "Nine holes", "Played elsewhere"],
  );
});
