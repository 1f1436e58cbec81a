import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AnyGame, arenaDecider, Match } from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import { millis } from "../room-stage.ts";
import { anyTerms, goOn, kinds, randomCommand, script } from "./script.ts";
import { ArenaStage, join, leave, move, resign } from "./stage.ts";

const { decide } = arenaDecider;
const { fingerprint } = arenaDecider.keys;

function throwing(): ArenaStage {
  return new ArenaStage({ game: "rock-paper-scissors", options: { bestOf: 9 } }).join("ann", "bob");
}

const turnOf = (stage: ArenaStage) => stage.room.match!.play!.turn;

/** Both throw the same, so the round is a tie. */
function tie(stage: ArenaStage): void {
  stage.move("ann", "rock");
  stage.move("bob", "rock");
}

describe("[MT5] a move is for one turn", () => {
  test("[MT5] [ID5] a repeated throw counts in its own round and in no other", () => {
    const stage = throwing();
    const match = stage.matchId;
    const first = move("ann", match, "rock", 1);
    stage.do(first);
    stage.refused(first, "move.out-of-turn");
    stage.move("bob", "scissors");
    stage.refused(first, "turn.stale", { turn: 2 });
    stage.move("bob", "paper");
    stage.refused(first, "turn.stale", { turn: 2 });
    stage.do(move("ann", match, "rock", 2));
    assert.equal(turnOf(stage), 3);
  });

  test("[MT5] the opponent's throw does not make a turn stale", () => {
    const stage = throwing();
    stage.move("bob", "paper");
    assert.equal(turnOf(stage), 1);
    stage.do(move("ann", stage.matchId, "rock", 1));
    assert.equal(turnOf(stage), 2);
  });

  test("[MT5] a repeated disc does not fall a second time after the opponent's", () => {
    const stage = new ArenaStage({ game: "connect-four" }).join("ann", "bob");
    const [first] = stage.toMove;
    const disc = move(first, stage.matchId, "d", 1);
    stage.do(disc);
    stage.refused(disc, "turn.stale", { turn: 2 });
    stage.move(stage.toMove[0], "e");
    stage.refused(disc, "turn.stale", { turn: 3 });
    stage.do(move(first, stage.matchId, "d", 3));
  });

  test("[MT5] past, future and impossible turns are refused", () => {
    const stage = throwing();
    tie(stage);
    for (const turn of [1, 3, 0, -1, 1.5, Number.NaN])
      stage.refused(move("ann", stage.matchId, "paper", turn), "turn.stale", { turn: 2 });
  });

  test("[MT5] the next match begins with turn 1, and a move of the last one is refused as such", () => {
    const stage = throwing();
    const match = stage.matchId;
    tie(stage);
    stage.do(resign("bob", match));
    assert.equal(turnOf(stage), 1);
    stage.refused(move("ann", match, "rock", 1), "match.over");
  });

  test("[MT2] [MT5] in the order of reasons: an unknown move, a stale turn, out of turn, impossible, a missing turn", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob");
    const match = stage.matchId;
    const [turn] = stage.toMove;
    const other = turn === "ann" ? "bob" : "ann";
    stage.move(turn, "b2");
    stage.refused(move(other, match, "d4", 1), "move.unknown");
    stage.refused(move("cid", match, "a1", 1), "seat.missing");
    stage.refused(move(turn, match, "b2", 1), "turn.stale", { turn: 2 });
    stage.refused(move(turn, match, "b2", 2), "move.out-of-turn");
    stage.refused(move(turn, match, "b2"), "move.out-of-turn");
    stage.refused(move(other, match, "b2", 2), "move.impossible");
    stage.move(other, "a1");
    stage.refused(move(turn, match, "b2"), "move.impossible");
  });

  test("[MT5] a player who moves twice in a row has two turns", () => {
    const rounds: AnyGame = {
      name: "rounds",
      title: "Rounds",
      summary: "Nobody wins.",
      seats: ["X", "O"],
      table: { columns: 0, cells: [], choices: [{ move: "pass", name: "Pass", symbol: "-" }] },
      setup: () => 0,
      toMove: (passes) => [[0, 1], [1], [1], [0]][passes % 4],
      moves: () => ["pass"],
      play: (passes) => passes + 1,
      outcome: () => undefined,
      view: () => ({ cells: [], marked: [], score: [], notes: [], chosen: null }),
    };
    const match = new Match(rounds, { seed: 1, options: {}, moves: [] });
    const turns = [0, 1, 1, 0, 0].map((seat) => {
      match.play(seat, "pass");
      return match.turn;
    });
    assert.deepEqual(turns, [1, 2, 3, 4, 4]);
    assert.equal(new Match(rounds, match.record).turn, 4);
  });
});

describe("[MT5] a move without a turn, as older clients send it", () => {
  test("[MT5] [ID5] counts once per match: a repeat is refused, even rounds later", () => {
    const stage = throwing();
    const match = stage.matchId;
    stage.do(move("ann", match, "rock"));
    stage.refused(move("ann", match, "rock"), "move.out-of-turn");
    stage.do(move("bob", match, "rock"));
    stage.refused(move("ann", match, "rock"), "turn.missing", { turn: 2 });
    stage.do(move("ann", match, "paper"));
    stage.do(move("bob", match, "paper"));
    for (const hand of ["rock", "paper"])
      stage.refused(move("ann", match, hand), "turn.missing", { turn: 3 });
    stage.do(move("ann", match, "rock", 3));
  });

  test("[MT5] [ID5] is also a repeat of a move that named its turn", () => {
    const stage = throwing();
    tie(stage);
    stage.refused(move("bob", stage.matchId, "rock"), "turn.missing", { turn: 2 });
  });

  test("[MT5] the opponent's move is not a repeat, and the next match starts anew", () => {
    const stage = throwing();
    stage.do(move("bob", stage.matchId, "rock"));
    stage.do(move("ann", stage.matchId, "rock"));
    stage.resign("bob");
    stage.do(move("ann", stage.matchId, "rock"));
  });

  test("[MT5] plays tic-tac-toe to its end, where no move can be made twice", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob");
    const match = stage.matchId;
    for (const cell of ["a1", "a2", "b1", "b2", "c1"]) stage.do(move(stage.toMove[0], match, cell));
    assert.equal(stage.result.reason, "played");
  });
});

test("[ID1] [MT5] a key is for a move in one turn; without a turn, keys from older versions still match", () => {
  assert.equal(fingerprint(move("ann", 3, "rock")), "move 3 rock");
  assert.equal(fingerprint(move("ann", 3, "rock", 2)), "move 3 rock 2");
});

test("[LG5] [MT5] a log from before moves had turns gives the same turn, from entries and from a snapshot", () => {
  const stage = throwing();
  tie(stage);
  tie(stage);
  stage.move("ann", "paper");
  assert.ok(stage.log.every((line) => !line.includes("turn")));
  assert.equal(JSON.stringify(stage.saved.head).includes('"turn"'), false);
  const rooms = [stage.room, stage.replayed, stage.restored];
  assert.deepEqual(
    rooms.map(({ match }) => match!.play!.turn),
    [3, 3, 3],
  );
});

for (const [name, kind] of Object.entries(kinds)) {
  test(`[ID5] a repeated action in a match is refused at any later time: ${name}`, () => {
    const property = fc.property(fc.nat(), script(200), (seed, steps) => {
      const stage = new ArenaStage(anyTerms(kind, new Chance(seed)));
      const done = new Set<Parameters<typeof decide>[1]>();
      const act = (command: Parameters<typeof decide>[1]) => {
        const decision = decide(stage.room, command, millis(stage.now));
        if ("refusal" in decision) return;
        stage.write(decision.events);
        if (["move", "resign", "report"].includes(command.type)) done.add(command);
      };
      for (const step of steps) {
        goOn(stage, step, act);
        act(randomCommand(stage, step.choice));
        for (const command of done) {
          const again = decide(stage.room, command, millis(stage.now));
          assert.ok("refusal" in again, `done twice: ${JSON.stringify(command)}`);
        }
      }
    });
    fc.assert(property, { numRuns: 25 });
  });
}

test("[ID5] joining and leaving an arena twice are refused", () => {
  const stage = throwing();
  stage.do(join("cid"));
  stage.refused(join("cid"), "place.exists");
  stage.do(leave("cid"));
  stage.refused(leave("cid"), "place.missing");
});
