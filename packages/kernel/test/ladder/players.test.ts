import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LadderCommand, ladderDecider, ladderLimits, playerCalled } from "@openseat/kernel";
import { millis, person } from "../room-stage.ts";
import { configure, createLadder, enrol, LadderStage, leave, only, report } from "./stage.ts";

const { decide, listing, tick } = ladderDecider;

describe("creating a ladder", () => {
  test("commands to a ladder that does not exist are refused, and it can be created once", () => {
    for (const command of [enrol("ann"), leave("ann"), report("ann 1:0 bob"), configure({}), tick]) {
      const decision = decide(undefined, command, millis(1));
      assert.equal("refusal" in decision && decision.refusal.code, "ladder.not-found");
    }
    new LadderStage().refused(createLadder(), "ladder.exists");
  });

  test("all or some settings can be changed, but not the rating system", () => {
    const stage = new LadderStage();
    const { rating } = stage.ladder.terms;
    stage.do(configure({ title: "Another", undoWindowMs: 7 }));
    assert.deepEqual(stage.ladder.settings, {
      ...{ title: "Another", open: true, confirm: false },
      ...{ confirmWindowMs: 10_000, undoWindowMs: 7 },
    });
    assert.deepEqual(stage.ladder.terms, { rating, creator: "carol", createdAt: 1_000 });
  });

  test("the list shows the status, the numbers of players and matches, and the leader", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    assert.equal(listing(new LadderStage().ladder).summary.leader, null);
    stage.play("bob 1:0 ann", "bob 1:0 ann").void(1).do(leave("ann"));
    stage.do(configure({ open: false }));
    const { status, summary } = listing(stage.ladder);
    assert.equal(status, "CLOSED");
    assert.equal(summary.players, 1);
    assert.equal(summary.matches, 1);
    assert.deepEqual(summary.leader, { name: "The bob", rating: 1016 });
  });
});

describe("enrolling", () => {
  test("[LD3][LD7] gives a number, the starting rating, and a place behind equals", () => {
    const stage = new LadderStage({ start: 1200 }).enrol("ann", "bob");
    assert.deepEqual(stage.of("bob"), {
      ...{ number: 2, person: "bob", name: "The bob", rating: 1200, deviation: 0, volatility: 0 },
      ...{ games: 0, wins: 0, draws: 0, losses: 0, version: 0, lastTurn: null },
      ...{ enrolledAt: 1_000, leftAt: undefined },
      ...{ rank: 1, provisional: true },
    });
    assert.deepEqual(stage.table, ["1 ann", "1 bob"]);
    assert.equal(playerCalled(stage.ladder, person("bob")), 2);
    assert.equal(playerCalled(stage.ladder, person("cid")), undefined);
  });

  test("[LD10] with Glicko-2 a new player has the starting deviation and volatility", () => {
    const stage = new LadderStage({ system: "glicko2", deviation: 300, volatility: 0.05 }).enrol("ann");
    const { rating, deviation, volatility } = stage.of("ann");
    assert.deepEqual([rating, deviation, volatility], [1500, 300, 0.05]);
  });

  test("trusted roles can enrol others, with a rating", () => {
    const stage = new LadderStage();
    stage.do(enrol("ann", "carol", 1400));
    stage.do(enrol("bob", "@op", 1600));
    stage.do(enrol("cid", "@shop", 100));
    assert.deepEqual(stage.table, ["1 bob", "2 ann", "3 cid"]);
    assert.equal(stage.rating("cid"), 100);
    stage.refused(enrol("dan", "@shop", 99), "input.invalid");
  });

  test("a player added again without a name keeps their old name", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    for (const name of ["ann", "bob"]) stage.do(leave(name));
    stage.do({ ...enrol("ann", "@op"), name: "Another", keepsName: true } as LadderCommand);
    stage.do({ ...enrol("bob", "@op"), name: "Another" } as LadderCommand);
    assert.deepEqual([stage.of("ann").name, stage.of("bob").name], ["The ann", "Another"]);
  });

  test("nobody enrols twice", () => {
    const stage = new LadderStage().enrol("ann");
    stage.refused(enrol("ann"), "player.exists", { userId: "ann" });
    stage.refused(enrol("ann", "@op", 2000), "player.exists", { userId: "ann" });
  });

  test("permissions: the first reason is given", () => {
    const stage = new LadderStage({ open: false });
    stage.do(enrol("ann", "carol"));
    stage.refused(enrol("ann", "bob", 1200), "auth.forbidden"); // another person, own rating, enrolled, invite-only
    stage.refused(enrol("ann", "ann", 1200), "auth.forbidden"); // own rating, enrolled, invite-only
    stage.refused(enrol("ann"), "player.exists"); // enrolled, invite-only
    stage.refused(enrol("bob"), "ladder.closed");
    for (const by of ["carol", "@shop", "@op"]) stage.do(enrol(`friend-of-${by.slice(1)}`, by, 1300));
  });

  test("a running ladder can be closed and opened again", () => {
    const stage = new LadderStage().enrol("ann");
    stage.do(configure({ open: false }));
    stage.refused(enrol("bob"), "ladder.closed");
    stage.do(configure({ open: true }, "@op"));
    stage.enrol("bob");
    for (const by of ["ann", "@shop"]) stage.refused(configure({ open: false }, by), "auth.forbidden");
  });

  test("players are limited; former players can come back", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(leave("ann"));
    // Pretend that two million players have enrolled; really enrolling them takes too long.
    Object.defineProperty(stage.ladder.players, "size", { get: () => ladderLimits.playersMax });
    for (const by of ["cid", "@op"]) {
      const decision = decide(stage.ladder, enrol("cid", by), millis(stage.now));
      assert.equal("refusal" in decision && decision.refusal.code, "ladder.full");
    }
    const decision = decide(stage.ladder, enrol("ann"), millis(stage.now));
    assert.deepEqual("events" in decision && decision.events.map(({ type }) => type), ["returned"]);
  });
});

describe("leaving and coming back", () => {
  test("[LD6] a player who left is not in the standings and plays no match", () => {
    const stage = new LadderStage().enrol("ann", "bob", "cid").play("ann 1:0 bob");
    stage.at(2_000).do(leave("ann"));
    assert.deepEqual(stage.table, ["1 cid", "2 bob"]);
    assert.equal(stage.of("ann").rank, undefined);
    assert.equal(stage.of("ann").leftAt, 2_000);
    assert.equal(stage.ladder.players.present, 2);
    stage.refused(report("ann 1:0 bob", "@op"), "player.not-found", { userId: "ann" });
    stage.refused(report("bob 1:0 ann", "bob"), "player.not-found", { userId: "ann" });
  });

  test("[LD4] a player who comes back keeps their number and values, under their new name", () => {
    for (const system of ["elo", "glicko2"] as const) {
      const stage = new LadderStage({ system }).enrol("ann", "bob").play("ann 1:0 bob", "ann 1:1 bob");
      const had = stage.of("ann");
      stage.do(leave("ann"));
      stage.enrol("cid").at(9_000);
      const [returned] = only(stage.do({ ...enrol("ann"), name: "Ann" } as never), "returned");
      assert.deepEqual(returned, { type: "returned", player: 1, name: "Ann" });
      assert.deepEqual(stage.of("ann"), { ...had, name: "Ann" });
    }
  });

  test("[LD4] a player who comes back keeps their old rating, even if another is given", () => {
    const stage = new LadderStage().enrol("ann");
    stage.do(leave("ann"));
    stage.do(enrol("ann", "@op", 2_500));
    assert.equal(stage.rating("ann"), 1000);
  });

  test("[LD8] matches of a player who left can be voided, and they come back with the result", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob", "ann 1:0 bob");
    stage.do(leave("ann"));
    stage.void(1);
    assert.deepEqual(stage.table, ["1 bob"]);
    stage.enrol("ann");
    assert.equal(stage.rating("ann"), 1016);
    assert.deepEqual(stage.table, ["1 ann", "2 bob"]);
  });

  test("permissions: the first reason is given", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.refused(leave("ann", "bob"), "auth.forbidden");
    stage.refused(leave("nobody", "bob"), "auth.forbidden");
    stage.refused(leave("cid"), "player.missing");
    for (const by of ["carol", "@shop", "@op"])
      stage.refused(leave("cid", by), "player.not-found", { userId: "cid" });
    stage.do(leave("ann"));
    stage.refused(leave("ann"), "player.missing");
    for (const by of ["carol", "@shop", "@op"]) {
      stage.do(leave("bob", by));
      stage.enrol("bob");
    }
  });
});
