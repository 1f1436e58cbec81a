import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ArenaCommand,
  arenaDecider,
  arenaLimits,
  defaultLanes,
  movesOf,
  sightIn,
} from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { millis, person } from "../room-stage.ts";
import {
  ArenaStage,
  configure,
  createArena,
  join,
  leave,
  move,
  only,
  report,
  resign,
  type StageTerms,
} from "./stage.ts";

const { decide } = arenaDecider;
const { fingerprint } = arenaDecider.keys;

function refusalOfNew(terms: StageTerms) {
  const decision = decide(undefined, createArena(terms), millis(0));
  return "refusal" in decision ? decision.refusal : undefined;
}

describe("creating an arena", () => {
  test("commands to an arena that does not exist are refused, and it can be created once", () => {
    const commands = [join("a"), leave("a"), move("a", 1, "a1"), report(1, null), arenaDecider.tick] as const;
    for (const command of commands) {
      const decision = decide(undefined, command, millis(0));
      assert.equal("refusal" in decision && decision.refusal.code, "room.not-found");
    }
    new ArenaStage().refused(createArena(), "room.exists");
  });

  test("[MT1] a game that is not in the catalogue is refused, whatever its name", () => {
    for (const game of ["chess", "", "__proto__", "constructor", "Tic-tac-toe"])
      assert.equal(refusalOfNew({ game })?.code, "game.unknown", game);
  });

  test("[MT1] options are the game's own, whole numbers within bounds, with defaults", () => {
    const game = "rock-paper-scissors";
    for (const bestOf of [0, 16, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3" as unknown as number]) {
      const refusal = refusalOfNew({ game, options: { bestOf } });
      assert.equal(refusal?.code, "option.invalid", String(bestOf));
      assert.deepEqual(refusal?.data, { field: "options.bestOf" });
    }
    for (const name of ["rounds", "constructor", "toString"])
      assert.equal(refusalOfNew({ game, options: { [name]: 3 } })?.code, "option.invalid", name);
    assert.equal(refusalOfNew({ game: "tic-tac-toe", options: { bestOf: 3 } })?.code, "option.invalid");
    assert.equal(
      refusalOfNew({ options: { bestOf: 3 } })?.code,
      "option.invalid",
      "a game played elsewhere has none",
    );
    for (const bestOf of [1, 15]) {
      const { room } = new ArenaStage({ game, options: { bestOf } });
      assert.deepEqual(room.terms.options, { bestOf });
    }
    assert.deepEqual(new ArenaStage({ game }).room.terms.options, { bestOf: 3 });
  });

  test("[AR1] labels are the game's own; for a game played elsewhere, given or 1 and 2", () => {
    assert.deepEqual(new ArenaStage({ game: "connect-four" }).room.terms.labels, ["Red", "Yellow"]);
    assert.deepEqual(new ArenaStage({ labels: ["N", "E", "S"] }).room.terms.labels, ["N", "E", "S"]);
    const command = { ...createArena(), labels: undefined };
    const decision = decide(undefined, command, millis(0));
    assert.ok("events" in decision);
    assert.deepEqual(only(decision.events, "created")[0].labels, ["1", "2"]);
  });

  test("[RM1] the number of seats is fixed by the game, or from 2 to the number of labels", () => {
    for (const seats of [1, 3])
      assert.equal(refusalOfNew({ game: "tic-tac-toe", seats })?.code, "seats.invalid");
    const labels = ["N", "E", "S"];
    for (const seats of [1, 4]) assert.equal(refusalOfNew({ labels, seats })?.code, "seats.invalid");
    assert.equal(refusalOfNew({ labels: ["N"] })?.code, "seats.invalid");
    assert.equal(new ArenaStage({ labels }).room.settings.seats, 3);
    assert.equal(new ArenaStage({ labels, seats: 2 }).room.settings.seats, 2);
    assert.equal(arenaLimits.labelsMax, 16);
  });

  test("only its creator or an operator can change it", () => {
    const stage = new ArenaStage();
    const byAnn = { ...configure({ title: "Ann's" }), by: "ann" } as ArenaCommand;
    stage.refused(byAnn, "auth.forbidden");
    stage.refused({ ...byAnn, ...configure({ seats: 9 }), by: "ann" } as ArenaCommand, "auth.forbidden");
    stage.do({ ...byAnn, asOperator: true } as ArenaCommand);
    stage.do(configure({ maxWins: 4 }));
    assert.deepEqual([stage.room.settings.title, stage.room.settings.maxWins], ["Ann's", 4]);
  });

  test("[LN2] a lane that the arena does not have is refused, whatever its number", () => {
    const stage = new ArenaStage({ lanes: defaultLanes });
    for (const lane of [4, 255, -1, 0.5, Number.NaN]) stage.refused(join("ann", lane), "lane.unknown");
    stage.do(join("ann", 3));
    stage.refused(join("ann", 9), "place.exists");
  });
});

describe("[MT2] refusals give the first reason that applies, and change nothing", () => {
  /** The third match is running; the second is the previous one. */
  function third(game: string | null): { stage: ArenaStage; first: number; second: number } {
    const stage = new ArenaStage({ game }).join("ann", "bob", "cid");
    const first = stage.matchId;
    stage.resign("bob");
    const second = stage.matchId;
    stage.resign("cid");
    return { stage, first, second };
  }

  test("[MT2] a move: no match, match over, stale match, no seat, no such move, out of turn, impossible", () => {
    const { stage, first, second } = third("tic-tac-toe");
    const now = stage.matchId;
    const on = { match: String(now) };
    const [turn] = stage.toMove;
    const other = turn === "ann" ? "bob" : "ann";
    stage.move(turn, "b2");
    stage.move(other, "a1");
    // From the lowest precedence to the highest: each step adds a reason that precedes all the others.
    stage.refused(move(turn, now, "b2"), "move.impossible", {
      moves: ["b1", "c1", "a2", "c2", "a3", "b3", "c3"],
    });
    stage.refused(move(turn, now, "a1"), "move.impossible");
    stage.refused(move(other, now, "b2"), "move.out-of-turn");
    stage.refused(move(other, now, "c3"), "move.out-of-turn");
    for (const odd of ["d4", "", "B2", "b2 ", "__proto__"])
      stage.refused(move(other, now, odd), "move.unknown");
    stage.refused(move("cid", now, "d4"), "seat.missing");
    stage.refused(move("stranger", now, "c3"), "seat.missing");
    stage.refused(move("stranger", second, "d4"), "match.over");
    stage.refused(move(turn, second, "c3"), "match.over");
    for (const stale of [first, 0, -1, now + 1, Number.NaN])
      stage.refused(move("stranger", stale, "d4"), "match.stale", on);
    stage.refused(move(turn, first, "c3"), "match.stale", on);
    stage.do(leave(turn));
    stage.do(leave(other));
    stage.do(leave("cid"));
    stage.refused(move("cid", first, "d4"), "match.none");
    assert.equal(stage.room.match, undefined);
    stage.refused(move(other, stage.result.match, "c3"), "match.over");
  });

  test("[MT2] a second throw before the other's is out of turn", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors" }).join("ann", "bob");
    stage.move("ann", "rock");
    stage.refused(move("ann", stage.matchId, "paper"), "move.out-of-turn");
    stage.refused(move("ann", stage.matchId, "lizard"), "move.unknown");
  });

  test("[MT2] a full column is impossible, and the refusal lists the others", () => {
    const stage = new ArenaStage({ game: "connect-four" }).join("ann", "bob");
    for (let disc = 0; disc < 6; disc++) stage.move(stage.toMove[0], "d");
    stage.refused(move(stage.toMove[0], stage.matchId, "d"), "move.impossible", {
      moves: ["a", "b", "c", "e", "f", "g"],
    });
  });

  test("[MT2] a resignation: no match, match over, stale match, no seat", () => {
    const { stage, first, second } = third("tic-tac-toe");
    stage.refused(resign("cid", stage.matchId), "seat.missing");
    stage.refused(resign("stranger", stage.matchId), "seat.missing");
    stage.refused(resign("cid", second), "match.over");
    stage.refused(resign("ann", second), "match.over");
    stage.refused(resign("ann", first), "match.stale", { match: String(stage.matchId) });
    const alone = new ArenaStage().join("ann");
    alone.refused(resign("ann", 1), "match.none");
    alone.refused(resign("stranger", 1), "match.none");
  });

  test("[AR10] a report: decided here, result exists, no match, stale match, empty seat", () => {
    for (const game of ["tic-tac-toe", "connect-four", "rock-paper-scissors"]) {
      const { stage, second } = third(game);
      for (const match of [stage.matchId, second, 0])
        stage.refused(report(match, "?"), "result.decided-here");
    }
    const { stage, first, second } = third(null);
    for (const label of ["Z", "", "x", "ann"]) stage.refused(report(stage.matchId, label), "seat.unknown");
    stage.refused(report(first, "Z"), "match.stale", { match: String(stage.matchId) });
    stage.refused(report(second, "Z"), "result.exists");
    const alone = new ArenaStage().join("ann");
    alone.refused(report(1, "X"), "match.none");
  });

  test("[AR10] a move in a game played elsewhere is refused after all earlier reasons", () => {
    const { stage, second } = third(null);
    stage.refused(move("ann", stage.matchId, "a1"), "move.elsewhere");
    stage.refused(move("cid", stage.matchId, "a1"), "seat.missing");
    stage.refused(move("ann", second, "a1"), "match.over");
  });

  test("[MT2] a legal move after all these refusals takes effect, and nothing else does", () => {
    const { stage } = third("tic-tac-toe");
    const [turn] = stage.toMove;
    assert.deepEqual(movesOf(stage.room, person(turn)).length, 9);
    assert.deepEqual(movesOf(stage.room, person("cid")), []);
    assert.deepEqual(movesOf(stage.room, person("stranger")), []);
    const events = stage.move(turn, "b2");
    assert.deepEqual(typesOf(events), ["moved"]);
    assert.deepEqual(movesOf(stage.room, person(turn)), [], "it is no longer their turn");
    assert.equal(sightIn(stage.room, undefined)?.cells[4], stage.placeOf(turn).label);
  });

  test("[MT3] only the player who made a throw sees it until both are in", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors" }).join("ann", "bob", "cid");
    stage.move("ann", "rock");
    const seenBy = (name: string | undefined) =>
      sightIn(stage.room, name === undefined ? name : person(name));
    assert.equal(seenBy("ann")?.chosen, "rock");
    for (const name of ["bob", "cid", "stranger", undefined])
      assert.doesNotMatch(JSON.stringify(seenBy(name)), /rock/, name ?? "a spectator");
    stage.move("bob", "paper");
    for (const name of ["ann", "bob", undefined]) assert.match(JSON.stringify(seenBy(name)), /rock/);
  });
});

describe("a game that is played elsewhere", () => {
  test("[AR10] its result is reported once: by a label, or as a draw", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    const first = stage.matchId;
    stage.report("O");
    assert.deepEqual([stage.result.winner, stage.result.reason, stage.result.moves], [1, "reported", 0]);
    stage.refused(report(first, "O"), "result.exists");
    stage.refused(report(first, "X"), "result.exists");
    stage.report(null);
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "reported"]);
  });

  test("[AR10] a match that ended otherwise takes no report", () => {
    const stage = new ArenaStage().join("ann", "bob");
    const first = stage.matchId;
    stage.resign("ann");
    stage.refused(report(first, "O"), "result.exists");
  });

  test("[AR10] an empty seat cannot be the winner", () => {
    const stage = new ArenaStage({ labels: ["N", "E", "S"], seats: 2 }).join("ann", "bob");
    stage.refused(report(stage.matchId, "S"), "seat.unknown");
    stage.report("N");
  });

  test("[AR10][AR9] a match that is not reported in time is a draw without a timeout for its players", () => {
    const stage = new ArenaStage({ moveTimeoutMs: 60_000 }).join("ann", "bob", "cid");
    const first = stage.matchId;
    stage.at(60_999);
    assert.equal(stage.matchId, first);
    stage.at(61_000);
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "unreported"]);
    assert.equal(stage.scene, "X cid, O bob | ann", "as after any draw");
    stage.refused(report(first, "X"), "result.exists");
    for (let match = 0; match < 5; match++) stage.at(stage.now + 60_000);
    assert.equal(stage.room.entrants.size, 3, "nobody leaves because a service forgot to report");
  });

  test("[AR10] [LM2] after ten unreported matches in a row, the players lose their places", () => {
    for (const drawRule of ["rematch", "both-leave", "longest-leaves"] as const) {
      const terms = { moveTimeoutMs: 1_000, reconnectGraceMs: null, drawRule };
      const stage = new ArenaStage(terms).join("ann", "bob", "cid", "dan");
      let matches = 0;
      for (; stage.room.match && matches < 100; matches++) stage.at(stage.now + 1_000);
      assert.equal(matches, 11, `${drawRule}: ten, and one of those who were in the line`);
      assert.equal(stage.room.entrants.size, 0);
    }
    const reported = new ArenaStage({ moveTimeoutMs: 1_000, reconnectGraceMs: null }).join("ann", "bob");
    for (let match = 1; match <= 30; match++)
      if (match % 10 === 0) reported.report("X");
      else reported.at(reported.now + 1_000);
    assert.equal(reported.room.entrants.size, 2, "an occasional result is enough");
  });
});

describe("two commands are the same request", () => {
  test("[ID2] exactly when the match, the move, the lane or the settings are the same", () => {
    const asked: [ArenaCommand, ArenaCommand, boolean][] = [
      [move("ann", 5, "a1"), move("ann", 5, "a1"), true],
      [move("ann", 5, "a1"), move("ann", 5, "a2"), false],
      [move("ann", 5, "a1"), move("ann", 6, "a1"), false],
      [resign("ann", 5), resign("ann", 6), false],
      [report(5, null), report(5, "null"), false],
      [report(5, "X"), report(5, "O"), false],
      [join("ann"), join("ann", 1), false],
      [join("ann"), leave("ann"), false],
      [configure({ maxWins: 1 }), configure({ maxWins: 2 }), false],
      [createArena(), createArena({ labels: ["A", "B"] }), false],
      [createArena({ seed: 1 }), createArena({ seed: 2 }), true],
      [createArena({ options: { a: 1, b: 2 } }), createArena({ options: { b: 2, a: 1 } }), true],
      [createArena({ options: { a: 1, b: 2 } }), createArena({ options: { a: 2, b: 1 } }), false],
    ];
    for (const [one, other, isSame] of asked)
      assert.equal(
        fingerprint(one) === fingerprint(other),
        isSame,
        `${fingerprint(one)} | ${fingerprint(other)}`,
      );
  });
});
