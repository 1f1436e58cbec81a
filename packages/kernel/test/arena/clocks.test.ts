import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { arenaDecider, arenaLimits } from "@openseat/kernel";
import { millis } from "../room-stage.ts";
import { ArenaStage, configure, join, leave, move, only, playTicTacToe } from "./stage.ts";

const { nextDue, decide, tick } = arenaDecider;
const [waitingLease, seatLease] = arenaDecider.presence!.leases;
const revive = arenaDecider.clock!.revive;

describe("a player without heartbeats", () => {
  test("[AR8] forfeits: the opponent wins, the place is gone, the front takes the label", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob", "cid");
    const events = stage.at(16_000).do(stage.silentOnSeats("ann")!);
    assert.equal(only(events, "left")[0].reason, "forfeited");
    assert.deepEqual([stage.result.winner, stage.result.reason], [1, "disconnected"]);
    assert.equal(stage.scene, "X cid, O bob |");
    assert.deepEqual(stage.streaks, { cid: 0, bob: 1 });
    stage.refused(leave("ann"), "place.missing");
  });

  test("[AR8] both are absent: the match has no winner, and the next two play", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid", "dan");
    stage.at(16_000).do(stage.silentOnSeats("ann", "bob")!);
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "disconnected"]);
    assert.equal(stage.scene, "X cid, O dan |");
    assert.equal(stage.room.match?.number, 2);
  });

  test("[AR8] keeps the seat for the grace period: exactly the silent players lose it, and never earlier", () => {
    const stage = new ArenaStage({ reconnectGraceMs: 15_000 }).join("ann", "bob", "cid");
    stage.at(15_999);
    assert.equal(stage.silentOnSeats("ann", "bob"), undefined);
    stage.at(16_000);
    assert.deepEqual(stage.silentOnSeats("bob"), { type: "forfeit", tickets: [2] });
    assert.equal(stage.silentOnSeats(), undefined);
    assert.equal(stage.silentOnSeats("cid"), undefined, "the line has its own lease");
  });

  test("[AR8] is spared when just called to the seat, however long the silence in the line was", () => {
    const stage = new ArenaStage({ moveTimeoutMs: null }).join("ann", "bob", "cid");
    stage.at(50_000).report("X");
    assert.equal(stage.scene, "X ann, O cid | bob");
    stage.at(64_999);
    assert.deepEqual(stage.silentOnSeats("ann", "cid"), {
      type: "forfeit",
      tickets: [stage.ticketOf("ann")],
    });
    assert.equal(stage.silentOnSeats("cid"), undefined);
    stage.at(65_000);
    assert.deepEqual(stage.silentOnSeats("cid"), { type: "forfeit", tickets: [stage.ticketOf("cid")] });
  });

  test("[AR8][LS2] on a seat without a match loses it too, and without a grace setting keeps it", () => {
    const stage = new ArenaStage();
    assert.equal(seatLease.windowMs(stage.room), undefined, "nobody needs heartbeats");
    stage.join("ann");
    assert.equal(seatLease.windowMs(stage.room), 15_000);
    assert.equal(seatLease.newest(stage.room), 1);
    stage.at(16_000).do(stage.silentOnSeats("ann")!);
    assert.equal(stage.scene, "|");
    assert.equal(stage.room.last, undefined);
    stage.join("bob").do(configure({ reconnectGraceMs: null }));
    assert.equal(seatLease.windowMs(stage.room), undefined);
  });

  test("[LS1] in the line expires, and only there; those behind move up", () => {
    const stage = new ArenaStage({ heartbeatTimeoutMs: 60_000 }).join("ann", "bob");
    assert.equal(waitingLease.windowMs(stage.room), undefined);
    stage.join("cid", "dan", "eve");
    assert.equal(waitingLease.windowMs(stage.room), 60_000);
    assert.equal(waitingLease.newest(stage.room), 5);
    assert.equal(stage.silentInLine("ann", "bob"), undefined);
    const events = stage.do(stage.silentInLine("cid", "eve")!);
    assert.deepEqual(
      only(events, "left").map(({ person, reason }) => [person, reason]),
      [
        ["cid", "heartbeat_timeout"],
        ["eve", "heartbeat_timeout"],
      ],
    );
    assert.equal(stage.scene, "X ann, O bob | dan");
  });

  test("[LS1] a crowd that has gone is expired in several entries until none is left", () => {
    const stage = new ArenaStage({ lineLengthMax: 10_000 }).join("ann", "bob");
    for (let number = 0; number < 2_500; number++) stage.join(`p${number}`);
    let entries = 0;
    for (let lapse = stage.silentInLine(); ; entries++) {
      lapse = waitingLease.lapse(stage.room, () => false, millis(stage.now));
      if (!lapse) break;
      stage.do(lapse);
    }
    assert.equal(entries, 3);
    assert.equal(stage.scene, "X ann, O bob |");
  });
});

describe("the clock of a turn", () => {
  test("[AR9] runs out exactly on time: the player goes to the back and the opponent wins", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: 5_000 }).join("ann", "bob", "cid");
    const [late] = stage.toMove;
    assert.equal(nextDue(stage.room), 6_000);
    assert.deepEqual(decide(stage.room, tick, millis(5_999)), { events: [] });
    const events = stage.at(6_000).log.at(-1)!;
    assert.match(events, /"reason":"forfeited"/);
    assert.equal(stage.result.reason, "move-timeout");
    assert.equal(stage.line.at(-1), late);
    assert.equal(stage.room.match?.number, 2);
    assert.equal(nextDue(stage.room), 11_000, "the next match has its own clock");
  });

  test("[AR9] restarts with each move for the other player", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: 5_000 }).join("ann", "bob");
    const [first] = stage.toMove;
    stage.at(4_000).move(first, "b2");
    assert.equal(nextDue(stage.room), 9_000);
    const [second] = stage.toMove;
    assert.notEqual(second, first);
    stage.at(9_000);
    assert.equal(stage.room.seats[stage.result.winner!]!.person, first);
  });

  test("[AR9] a player who times out twice in a row loses their place", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 1_000 }).join("ann", "bob");
    stage.move("ann", "rock");
    stage.at(2_000);
    assert.equal(stage.scene, "A ann, B bob |", "back on the seat, because nobody else waits");
    stage.move("ann", "rock");
    stage.at(3_000);
    assert.equal(stage.scene, "A ann |");
    assert.equal(arenaLimits.timeoutsMax, 2);
    stage.join("bob").move("ann", "rock");
    stage.at(4_000);
    assert.equal(stage.scene, "A ann, B bob |", "coming back resets the count");
  });

  test("[AR9] two timeouts in a row count even with a wait in the line between them", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 1_000 });
    stage.join("ann", "bob", "cid").move("ann", "rock");
    stage.at(2_000);
    assert.equal(stage.scene, "A ann, B cid | bob");
    stage.resign("cid");
    assert.equal(stage.scene, "A ann, B bob | cid");
    stage.move("ann", "rock");
    stage.at(3_000);
    assert.equal(stage.scene, "A ann, B cid |");
  });

  for (const [how, between] of [
    ["won", (stage: ArenaStage) => stage.resign("ann")],
    ["lost", (stage: ArenaStage) => stage.resign("bob")],
    ["drawn", playDraw],
    ["broken off", leaveAndComeBack],
  ] as const) {
    test(`[AR9] only if in a row: a match that was ${how} in between makes it the first again`, () => {
      const stage = new ArenaStage({
        ...{ game: "rock-paper-scissors", options: { bestOf: 2 }, moveTimeoutMs: 1_000, drawRule: "rematch" },
      });
      stage.join("ann", "bob").move("ann", "rock");
      stage.at(2_000);
      between(stage);
      assert.equal(stage.scene, "A ann, B bob |");
      stage.move("ann", "rock");
      stage.at(3_000);
      assert.equal(stage.scene, "A ann, B bob |", "bob times out for the first time");
      stage.move("ann", "rock");
      stage.at(4_000);
      assert.equal(stage.scene, "A ann |", "and for the second time");
    });
  }

  test("[AR9] where both have to move and neither does: both to the back, the one who sat longest last; then both out", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 1_000 }).join(
      "ann",
      "bob",
      "cid",
    );
    stage.at(2_000);
    assert.deepEqual([stage.result.winner, stage.result.reason], [null, "move-timeout"]);
    assert.equal(stage.scene, "A cid, B bob | ann");
    stage.at(3_000);
    assert.equal(stage.scene, "A ann, B cid |", "bob timed out twice");
    stage.at(4_000);
    assert.equal(stage.scene, "|");
    assert.equal(nextDue(stage.room), undefined);
  });

  test("[AR9] a first secret throw does not extend the opponent's time; the next round has the full time", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 5_000 }).join("ann", "bob");
    stage.at(4_000).move("ann", "rock");
    assert.equal(nextDue(stage.room), 6_000);
    stage.at(5_000).move("bob", "rock");
    assert.equal(nextDue(stage.room), 10_000);
    stage.at(9_999).move("bob", "paper");
    assert.equal(nextDue(stage.room), 10_000);
    stage.at(10_000);
    assert.equal(stage.room.seats[stage.result.winner!]!.person, "bob");
  });

  test("[AR9] a throw at the moment of the timeout is too late", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 5_000 }).join("ann", "bob");
    const { matchId } = stage;
    stage.at(6_000);
    stage.refused(move("ann", matchId, "rock"), "match.over");
  });

  test("[AR9] without a clock nothing is due, and a new clock applies from the next turn", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: null }).join("ann", "bob");
    assert.equal(nextDue(stage.room), undefined);
    stage.do(configure({ moveTimeoutMs: 1_000 }));
    assert.equal(nextDue(stage.room), undefined);
    stage.at(50_000).move(stage.toMove[0], "a1");
    assert.equal(nextDue(stage.room), 51_000);
    stage.do(configure({ moveTimeoutMs: null }));
    assert.equal(nextDue(stage.room), 51_000, "the current turn keeps its terms");
    stage.move(stage.toMove[0], "b1");
    assert.equal(nextDue(stage.room), undefined);
  });

  test("[AR9] a champion who wins by the clock goes to the back ahead of the player who timed out", () => {
    const stage = new ArenaStage({ game: "rock-paper-scissors", moveTimeoutMs: 1_000, maxWins: 1 });
    stage.join("ann", "bob", "cid").move("ann", "rock");
    stage.at(2_000);
    assert.equal(stage.scene, "A cid, B ann | bob");
  });
});

function leaveAndComeBack(stage: ArenaStage): void {
  stage.do(leave("ann"));
  stage.join("ann");
}

function playDraw(stage: ArenaStage): void {
  for (const [ann, bob] of [
    ["rock", "paper"],
    ["paper", "rock"],
  ]) {
    stage.move("ann", ann);
    stage.move("bob", bob);
  }
  assert.equal(stage.result.winner, null);
}

describe("an arena that is loaded from the log", () => {
  test("[LS4] players to move get their full time again if it ran out while the server was down", () => {
    for (const game of ["tic-tac-toe", null]) {
      const stage = new ArenaStage({ game, moveTimeoutMs: 5_000, reconnectGraceMs: 2_000 }).join(
        "ann",
        "bob",
      );
      const before = stage.matchId;
      stage.now = 90_000;
      const decision = decide(stage.room, revive, millis(stage.now));
      assert.deepEqual(decision, { events: [{ type: "clock-restarted", moveBy: 95_000 }] });
      stage.write((decision as { events: [] }).events);
      stage.wake();
      assert.equal(stage.matchId, before);
      assert.equal(nextDue(stage.room), 95_000);
      stage.at(95_000);
      assert.notEqual(stage.matchId, before, "no other change");
    }
  });

  test("[AR8] a match played elsewhere must last at least twice the grace period, so that two absent players cannot play forever", () => {
    const stage = new ArenaStage({ game: null, moveTimeoutMs: 10_000, reconnectGraceMs: 5_000 });
    const field = { field: "moveTimeoutSeconds" };
    stage.refused(configure({ moveTimeoutMs: 9_999 }), "clock.invalid", field);
    stage.refused(configure({ reconnectGraceMs: 5_001 }), "clock.invalid", field);
    stage.do(configure({ moveTimeoutMs: 1_000, reconnectGraceMs: null }));
    stage.do(configure({ moveTimeoutMs: null, reconnectGraceMs: 60_000 }));
    const here = new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: 10_000, reconnectGraceMs: 5_000 });
    here.do(configure({ moveTimeoutMs: 1_000 }));
  });

  test("[LS4] a clock turned off during the turn does not end the match after a restart", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: 5_000 }).join("ann", "bob");
    const before = stage.matchId;
    stage.do(configure({ moveTimeoutMs: null }));
    stage.now = 90_000;
    const decision = decide(stage.room, revive, millis(stage.now));
    assert.deepEqual(decision, { events: [{ type: "clock-restarted", moveBy: null }] });
    stage.write((decision as { events: [] }).events);
    stage.wake();
    assert.equal(stage.matchId, before);
    assert.equal(nextDue(stage.room), undefined);
  });

  test("[LS4] without a match or a clock, nothing is written", () => {
    for (const stage of [
      new ArenaStage(),
      new ArenaStage().join("ann"),
      new ArenaStage({ game: "tic-tac-toe", moveTimeoutMs: null }).join("ann", "bob"),
    ])
      assert.deepEqual(decide(stage.room, revive, millis(stage.now)), { events: [] });
  });

  test("[LS5] everybody keeps their seat, label, position and ticket", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob", "cid", "dan");
    playTicTacToe(stage, "X");
    const names = ["ann", "bob", "cid", "dan"];
    const before = names.map((name) => stage.placeOf(name));
    stage.do(revive);
    assert.deepEqual(
      names.map((name) => stage.placeOf(name)),
      before,
    );
    for (const name of names) stage.refused(join(name), "place.exists");
  });
});
