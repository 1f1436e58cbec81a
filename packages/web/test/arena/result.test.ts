import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lineShown } from "../../src/arena/line-shown.ts";
import { detailOf, headlineOf, nextFor, outcomeFor, summaryOf, whyOf } from "../../src/arena/table/result.ts";
import { arenaRules } from "../../src/arena/terms.ts";
import { ann, bob, cleo, ended, playing, seated, viewOf, waiting } from "./stage.ts";

describe("results", () => {
  test("who won, for each viewer", () => {
    assert.deepEqual(
      [ann.id, bob.id, cleo.id, undefined].map((me) => [outcomeFor(ended, me), headlineOf(ended, me)]),
      [
        ["won", "You win."],
        ["lost", "Ann wins."],
        ["watched", "Ann wins."],
        ["watched", "Ann wins."],
      ],
    );
    const draw = { ...ended, winner: null };
    assert.deepEqual([outcomeFor(draw, ann.id), headlineOf(draw, ann.id)], ["draw", "A draw."]);
  });

  test("the list shows why a match ended or how many moves it took, unless it was played elsewhere", () => {
    const detail = (reason: typeof ended.reason) => detailOf({ ...ended, reason });
    assert.equal(detail("played"), "5 moves.");
    assert.equal(detail("left"), "Bob left.");
    assert.equal(detail("reported"), "");
  });

  test("why it ended early", () => {
    const why = (reason: typeof ended.reason, me?: string) => whyOf({ ...ended, reason }, me);
    assert.equal(why("played"), "");
    assert.equal(why("resigned", bob.id), "You gave up.");
    assert.equal(why("left"), "Bob left.");
    assert.equal(why("disconnected"), "Bob lost the connection.");
    assert.equal(why("move-timeout"), "Bob ran out of time.");
    assert.equal(why("too-long"), "It took too many moves.");
    assert.equal(why("reported"), "");
    assert.equal(
      whyOf({ ...ended, winner: null, reason: "disconnected" }, undefined),
      "Both players lost the connection.",
    );
    const many = {
      ...ended,
      players: [...ended.players, { label: "Z", person: cleo }],
      reason: "left" as const,
    };
    assert.equal(whyOf(many, undefined), "A player left.");
    // With two others still seated, nobody has won.
    assert.equal(whyOf({ ...many, winner: null }, undefined), "A player left.");
    assert.equal(
      whyOf({ ...many, winner: null, reason: "disconnected" }, undefined),
      "A player lost the connection.",
    );
  });

  test("what comes next, for players, those in the line, and spectators", () => {
    const next = (me: string | undefined, state: Partial<typeof playing>) =>
      nextFor(ended, me, { ...playing, ...state });
    assert.equal(next(undefined, {}), "");
    assert.equal(next(bob.id, { you: waiting(2) }), "You go to the back of the line: position 2.");
    assert.equal(next(cleo.id, { you: waiting(1) }), "You are next.");
    assert.equal(next(cleo.id, { you: waiting(4) }), "You are at position 4.");
    assert.equal(next(cleo.id, { you: seated("O") }), "You have a seat: you play O.");
    assert.equal(next(ann.id, { you: seated("X"), match: null }), "You keep your seat.");
    assert.equal(next(ann.id, { you: seated("X") }), "You play again.");
    assert.equal(next(bob.id, { you: null }), "You lost your place.");
  });

  test("in the list of matches", () => {
    assert.equal(summaryOf(ended), "Ann beat Bob");
    assert.equal(summaryOf({ ...ended, winner: null }), "Ann and Bob drew");
    assert.equal(summaryOf({ ...ended, winner: null, reason: "unreported" }), "Ann and Bob played");
  });
});

describe("the line", () => {
  const line = [ann, bob].map((person, index) => ({ position: index + 1, person }));
  test("shows the viewer where they are", () => {
    const { rows, you, more } = lineShown({ line, waiting: 2, you: waiting(2) }, bob);
    assert.deepEqual(
      rows.map(({ isYou }) => isYou),
      [false, true],
    );
    assert.deepEqual([you, more], [undefined, 0]);
  });
  test("also if they are far behind the listed people", () => {
    const { you, more } = lineShown({ line, waiting: 140, you: waiting(134) }, cleo);
    assert.deepEqual([you, more], [{ position: 134, name: "Cleo", isYou: true }, 137]);
  });
  test("counts unlisted people for spectators", () => {
    assert.equal(lineShown({ line, waiting: 5, you: null }, undefined).more, 3);
  });
});

test("the rules of an arena in a line", () => {
  const { arena } = viewOf();
  assert.equal(arenaRules(arena), "The winner stays. 30 seconds per turn.");
  assert.equal(
    arenaRules({ ...arena, maxWins: 3, options: { bestOf: 5 }, moveTimeoutSeconds: null }),
    "Best of 5. The winner stays, for at most 3 wins.",
  );
  assert.match(arenaRules({ ...arena, game: null }), / per match\.$/);
});
