import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lineShown } from "../../src/app/logic/line.ts";
import { detailOf, headlineOf, nextFor, outcomeFor, summaryOf, whyOf } from "../../src/app/logic/result.ts";
import { arenaWords, gameWords, queueWords } from "../../src/app/logic/rooms.ts";
import { arenaRules } from "../../src/app/logic/terms.ts";
import { ago, ahead, gameTitle, listed, people, span, streak } from "../../src/app/logic/words.ts";
import { ann, bob, cleo, ended, playing, seated, viewOf, waiting } from "./stage.ts";

test("numbers and people", () => {
  assert.deepEqual([people(1), people(1_234)], ["1 person", "1,234 people"]);
  assert.deepEqual([ahead(1), ahead(3)], ["1 person is ahead of you.", "3 people are ahead of you."]);
  assert.deepEqual([listed([]), listed(["A"]), listed(["A", "B", "C"])], ["", "A", "A, B and C"]);
  assert.deepEqual([streak(0), streak(1), streak(3)], ["", "1 win", "3 wins in a row"]);
});

test("times, as rough as one would say them", () => {
  const now = Date.parse("2030-01-01T12:00:00Z");
  assert.deepEqual(
    ["2030-01-01T11:59:55Z", "2030-01-01T11:59:20Z", "2030-01-01T11:57:00Z", "2030-01-01T07:00:00Z"].map(
      (then) => ago(then, now),
    ),
    ["just now", "40 seconds ago", "3 minutes ago", "5 hours ago"],
  );
  assert.equal(span(3 * 86_400_000), "3 days");
});

test("games by their names in the catalogue, known here or not", () => {
  assert.deepEqual(
    ["tic-tac-toe", "connect-four", "rock-paper-scissors", "nine-holes", null].map(gameTitle),
    ["Tic-tac-toe", "Connect four", "Rock, paper, scissors", "Nine holes", "Played elsewhere"],
  );
});

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

  test("in the list: why it ended, or how many moves it took; of one played elsewhere nobody knows", () => {
    const detail = (reason: typeof ended.reason) => detailOf({ ...ended, reason });
    assert.equal(detail("played"), "5 moves.");
    assert.equal(detail("left"), "Bob left.");
    assert.equal(detail("reported"), "");
  });

  test("why it ended otherwise than by playing", () => {
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
      "Nobody was there any more.",
    );
    const many = {
      ...ended,
      players: [...ended.players, { label: "Z", person: cleo }],
      reason: "left" as const,
    };
    assert.equal(whyOf(many, undefined), "A player left.");
    // With two others on their seats nobody has won.
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
    assert.equal(next(cleo.id, { you: seated("O") }), "You are up: you play O.");
    assert.equal(next(ann.id, { you: seated("X"), match: null }), "You keep your seat.");
    assert.equal(next(ann.id, { you: seated("X") }), "You play again.");
    assert.equal(next(bob.id, { you: null }), "Your place is gone.");
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
  test("and also when that is far behind those who are listed", () => {
    const { you, more } = lineShown({ line, waiting: 140, you: waiting(134) }, cleo);
    assert.deepEqual([you, more], [{ position: 134, name: "Cleo", isYou: true }, 137]);
  });
  test("counts those who are not listed, for spectators", () => {
    assert.equal(lineShown({ line, waiting: 5, you: null }, undefined).more, 3);
  });
});

test("cards of the home page say how it stands and what one can do", () => {
  const players = playing.players.map(({ label, person, streak }) => ({ label, name: person.name, streak }));
  assert.equal(arenaWords({ players: [], seats: 2, waiting: 0 }).way, "Take a seat");
  assert.equal(arenaWords({ players: players.slice(1), seats: 2, waiting: 0 }).line, "A seat is free.");
  assert.equal(arenaWords({ players, seats: 2, waiting: 4 }).line, "4 in the line.");
  const game = { status: "OPEN", currentPlayers: 3, maxPlayers: 10, waitlist: true, waiting: 0 } as const;
  assert.deepEqual(gameWords(game), { line: "3 of 10 seats taken.", way: "Join" });
  assert.equal(gameWords({ ...game, status: "FULL", waiting: 2 }).way, "Wait in line");
  assert.equal(gameWords({ ...game, status: "FULL", waitlist: false }).way, "Look");
  assert.equal(queueWords({ status: "OPEN", waiting: 3, active: 9 }).line, "9 inside, 3 in the line.");
  assert.match(queueWords({ status: "PAUSED", waiting: 0, active: 9 }).line, /^Paused\./);
});

test("the rules of an arena in a line", () => {
  const { arena } = viewOf();
  assert.equal(arenaRules(arena), "The winner stays. 30 seconds a turn.");
  assert.equal(
    arenaRules({ ...arena, maxWins: 3, options: { bestOf: 5 }, moveTimeoutSeconds: null }),
    "Best of 5. The winner stays, for 3 wins at most.",
  );
  assert.match(arenaRules({ ...arena, game: null }), /a match\.$/);
});
