import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ladderDecider, ladderLimits } from "@openseat/kernel";
import { throughBytes } from "../decider-stage.ts";
import { millis, withLimits } from "../room-stage.ts";
import { about, enrol, LadderStage, leave, only, report } from "./stage.ts";

/** Reports matches until this many are pending. Each group of ten opponents gets at most 100 per opponent. */
function fill(stage: LadderStage, matches: number): void {
  for (let crowd = 0; stage.ladder.pending.size < matches; crowd++) {
    const opponents = Array.from({ length: 10 }, (_, nth) => `q${crowd}-${nth}`);
    stage.enrol(...opponents);
    for (let reporter = 0; reporter < 20 && stage.ladder.pending.size < matches; reporter++)
      reportAll(stage, `p${crowd}-${reporter}`, opponents, matches);
  }
}

function reportAll(stage: LadderStage, name: string, opponents: readonly string[], matches: number): void {
  stage.enrol(name);
  for (const opponent of opponents)
    for (let nth = 0; nth < ladderLimits.pendingOfPairMax && stage.ladder.pending.size < matches; nth++)
      stage.do(report(`${name} 1:0 ${opponent}`));
}

describe("reporting a match", () => {
  test("[LD2] is one event with both ratings before and both changes", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    assert.deepEqual(stage.do(report("ann 2:1 bob", "bob")), [
      {
        ...{ type: "counted", match: 1, turn: 1, previous: [null, null] },
        ...{ players: [1, 2], scores: [2, 1], reporter: "second" },
        ...{ before: [1000, 1000], change: [16, -16] },
      },
    ]);
    assert.equal(stage.status(1), "counted");
    assert.equal(stage.ladder.counting, 1);
  });

  test("[LD2][LD10] with Glicko-2 it also has the values after it", () => {
    const stage = new LadderStage({ system: "glicko2" }).enrol("ann", "bob");
    const [counted] = only(stage.do(report("ann 2:1 bob")), "counted");
    for (const [which, name] of ["ann", "bob"].entries()) {
      const { rating, deviation, volatility } = stage.of(name);
      assert.equal(counted.before[which] + counted.change[which], rating);
      assert.equal(counted.deviation?.[which], deviation);
      assert.equal(counted.volatility?.[which], volatility);
    }
  });

  test("[LD3][LD4] wins, draws and losses are counted, and each match is a version of both", () => {
    const stage = new LadderStage().enrol("ann", "bob", "cid");
    stage.play("ann 2:1 bob", "bob 0:0 ann", "bob 0:3 ann", "cid 5:1 ann");
    const { games, wins, draws, losses, version } = stage.of("ann");
    assert.deepEqual([games, wins, draws, losses, version], [4, 2, 1, 1, 4]);
    assert.equal(stage.of("bob").version, 3);
    assert.equal(stage.of("cid").version, 1);
  });

  test("[LD6] the reporter is one of the two, a service or an operator", () => {
    const stage = new LadderStage().enrol("ann", "bob", "cid");
    const reporterOf = (by: string) => only(stage.do(report("ann 1:0 bob", by)), "counted")[0].reporter;
    assert.deepEqual(["ann", "bob", "@shop", "@op"].map(reporterOf), [
      "first",
      "second",
      "service",
      "operator",
    ]);
    for (const by of ["cid", "nobody", "carol"]) stage.refused(report("ann 1:0 bob", by), "auth.forbidden");
  });

  test("[LD6] permissions: the first reason is given", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(leave("bob"));
    stage.refused(report("cid 1:0 cid", "ann"), "player.self", { userId: "cid" });
    stage.refused(report("cid 1:0 bob", "ann"), "player.not-found", { userId: "cid" });
    stage.refused(report("ann 1:0 bob", "cid"), "player.not-found", { userId: "bob" });
    stage.do(enrol("bob"));
    stage.refused(report("ann 1:0 bob", "cid"), "auth.forbidden");
  });

  test("a ladder at its limit of matches takes no more", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    // Pretend that ten million matches have been reported; really reporting them takes too long.
    Object.defineProperty(stage.ladder.statuses, "size", { get: () => ladderLimits.matchesMax });
    const decision = ladderDecider.decide(stage.ladder, report("ann 1:0 bob"), millis(stage.now));
    assert.equal("refusal" in decision && decision.refusal.code, "ladder.exhausted");
  });
});

describe("confirmation", () => {
  const confirming = () => new LadderStage({ confirm: true }).enrol("ann", "bob", "cid");

  test("[LD9] a player's report changes nothing until the opponent confirms it", () => {
    const stage = confirming();
    assert.deepEqual(stage.do(report("ann 1:0 bob")), [
      {
        ...{ type: "reported", match: 1, players: [1, 2], scores: [1, 0], reporter: "first" },
        lapsesAt: 11_000,
      },
    ]);
    assert.equal(stage.status(1), "pending");
    assert.deepEqual(stage.table, ["1 ann", "1 bob", "1 cid"]);
    assert.equal(stage.of("ann").version, 0);
    assert.equal(stage.ladder.counting, 0);
    const [counted] = only(stage.do(about("confirm", 1, "bob")), "counted");
    assert.deepEqual([counted.match, counted.reporter, counted.change], [1, "first", [16, -16]]);
    assert.equal(stage.status(1), "counted");
    assert.equal(stage.ladder.pending.size, 0);
  });

  test("[LD9] reports of services and operators count at once", () => {
    const stage = confirming();
    for (const by of ["@shop", "@op"])
      assert.equal(only(stage.do(report("ann 1:0 bob", by)), "counted").length, 1);
  });

  test("[LD9] matches are rated with the values at the time of counting, in that order", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob"));
    stage.do(report("cid 1:0 bob"));
    stage.do(about("confirm", 2, "bob"));
    const [counted] = only(stage.do(about("confirm", 1, "bob")), "counted");
    assert.deepEqual(counted.before, [1000, 984]);
  });

  test("[LD9] only the opponent may confirm or decline", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob", "bob"));
    for (const type of ["confirm", "decline"] as const) {
      for (const by of ["bob", "cid", "carol", "@op", "@shop"])
        stage.refused(about(type, 1, by), "auth.forbidden");
      for (const match of [0, 2, -1, 1.5]) stage.refused(about(type, match, "ann"), "match.not-found");
    }
    stage.do(about("confirm", 1, "ann"));
  });

  test("[LD9] a declined match never counts and stays declined", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob"));
    assert.deepEqual(stage.do(about("decline", 1, "bob")), [{ type: "declined", match: 1 }]);
    assert.equal(stage.status(1), "declined");
    for (const type of ["confirm", "decline", "void"] as const)
      for (const by of ["ann", "bob", "@op"]) stage.refused(about(type, 1, by), "match.declined");
    assert.equal(stage.of("ann").version, 0);
  });

  test("[LD9] a counted match cannot be confirmed by anybody", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob"));
    stage.do(about("confirm", 1, "bob"));
    for (const type of ["confirm", "decline"] as const)
      for (const by of ["bob", "cid"]) stage.refused(about(type, 1, by), "match.counted");
  });

  test("[LD9] matches not confirmed in time lapse exactly on time", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob"));
    stage.at(4_000).do(report("ann 1:0 cid"));
    assert.equal(ladderDecider.nextDue(stage.ladder), 11_000);
    stage.at(10_999);
    assert.equal(stage.status(1), "pending");
    stage.at(11_000);
    assert.deepEqual([stage.status(1), stage.status(2)], ["lapsed", "pending"]);
    stage.refused(about("confirm", 1, "bob"), "match.lapsed");
    stage.refused(about("void", 1, "ann"), "match.lapsed");
    stage.do(about("confirm", 2, "cid"));
    assert.equal(ladderDecider.nextDue(stage.ladder), undefined);
  });

  test("[LD9] lapses come in entries of limited size, until none is due", () => {
    const stage = confirming();
    fill(stage, ladderLimits.lapsesMax + 5);
    const entries = stage.version;
    stage.at(20_000);
    assert.equal(stage.version, entries + 2);
    assert.equal(stage.ladder.pending.size, 0);
  });

  test("[LM6][LD9] at the limit of a ladder, the oldest report of the heaviest reporter is evicted", () => {
    const stage = confirming();
    stage.keepsLog = false;
    stage.do(report("ann 1:0 bob"));
    fill(stage, ladderLimits.pendingMax);
    // One declined match makes room for one report, so q0-0 is left with 99.
    stage.do(about("decline", 2, "q0-0"));
    stage.do(report("bob 1:0 cid"));
    const events = stage.do(report("cid 1:0 ann"));
    assert.deepEqual(
      events.map((event) => "match" in event && [event.type, event.match]),
      [
        ["reported", ladderLimits.pendingMax + 2],
        ["lapsed", 102],
      ],
    );
    assert.equal(stage.ladder.pending.size, ladderLimits.pendingMax);
    assert.deepEqual([stage.status(1), stage.status(3), stage.status(102)], ["pending", "pending", "lapsed"]);
    stage.refused(about("confirm", 102, "q0-0"), "match.lapsed");
    // Nobody has more than 99 by now.
    assert.equal(only(stage.do(report("cid 1:0 ann")), "lapsed")[0].match, 202);
    stage.do(report("ann 1:0 bob", "@op"));
  });

  test("[LM6][LD9] pending reports are limited per player and per pair", () => {
    const stage = confirming().enrol("dan");
    const pair = ladderLimits.pendingOfPairMax;
    for (let match = 0; match < pair; match++)
      stage.do(match % 2 === 0 ? report("ann 1:0 bob") : report("bob 1:0 ann", "ann"));
    stage.refused(report("ann 1:0 bob"), "limit.pending");
    stage.refused(report("bob 1:0 ann", "ann"), "limit.pending");
    stage.do(report("ann 1:0 cid"));
    stage.do(report("ann 2:0 bob", "bob"));
    stage.do(about("confirm", 3, "bob"));
    stage.do(report("ann 1:0 bob"));
    const waiting = () => stage.ladder.pending.reportedBy(stage.numberOf("ann")).size;
    for (let nth = 0; waiting() < ladderLimits.pendingOfOneMax; nth++)
      stage.enrol(`e${nth}`).do(report(`ann 1:0 e${nth}`));
    stage.refused(report("ann 1:0 dan"), "limit.pending");
    stage.do(about("decline", 2, "bob"));
    stage.do(report("ann 1:0 dan"));
  });

  test("[LM6][LD9] at the limit of one opponent, the oldest report of the heaviest reporter is evicted", () => {
    const stage = confirming();
    stage.do(report("cid 1:0 bob"));
    const reporters = Array.from({ length: 20 }, (_, nth) => `p${nth}`);
    stage.enrol(...reporters);
    const full = () => stage.ladder.pending.waitingFor(stage.numberOf("bob")).size;
    for (let nth = 0; full() < ladderLimits.pendingToOneMax; nth++)
      stage.do(report(`${reporters[nth % 20]} 1:0 bob`));
    assert.deepEqual(
      only(stage.do(report("ann 1:0 bob")), "lapsed").map(({ match }) => match),
      [2],
    );
    assert.equal(full(), ladderLimits.pendingToOneMax);
    assert.equal(only(stage.do(report("ann 1:0 bob")), "lapsed")[0].match, 3);
    assert.equal(stage.status(1), "pending", "a player with only one report keeps it");
    stage.do(report("ann 1:0 cid"));
  });

  test("[LM6][LD9] many identities on one network are one sender, and evict each other", () => {
    const stage = confirming();
    for (let nth = 0; nth < 2; nth++) stage.do({ ...report("cid 1:0 bob"), network: "home" });
    const attackers = Array.from({ length: ladderLimits.pendingToOneMax }, (_, nth) => `p${nth}`);
    stage.enrol(...attackers);
    for (const name of attackers) stage.do({ ...report(`${name} 1:0 bob`), network: "attacker" });
    assert.deepEqual([stage.status(1), stage.status(2)], ["pending", "pending"]);
    assert.deepEqual([stage.status(3), stage.status(4), stage.status(5)], ["lapsed", "lapsed", "pending"]);
    // The same after a restart.
    const saved = throughBytes(stage.saved);
    const next = { ...report("ann 1:0 bob"), network: "elsewhere" };
    const [before, after] = [stage.ladder, ladderDecider.snapshots.restore(saved)].map((ladder) =>
      ladderDecider.decide(ladder, next, millis(stage.now)),
    );
    assert.deepEqual(after, before);
    assert.equal(only(stage.do(next), "lapsed")[0].match, 5);
  });

  test("[LM6][LG5] which report is evicted is the same after a restart, from a snapshot and from the log", () => {
    const stage = confirming();
    const names = ["p1", "p2", "p3"];
    stage.enrol(...names);
    for (let nth = 0; nth < 30; nth++)
      stage.do(report(`${names[nth % 3]} 1:0 ${names[(nth + 1 + (nth % 2)) % 3]}`));
    stage.do(about("void", 1, "p1"));
    const saved = throughBytes(stage.saved);
    withLimits(ladderLimits, { pendingMax: 29 }, () => {
      const again = [stage.ladder, ladderDecider.snapshots.restore(saved), stage.replayed].map((ladder) =>
        ladderDecider.decide(ladder, report("ann 1:0 bob"), millis(stage.now)),
      );
      assert.ok("events" in again[0] && again[0].events.some(({ type }) => type === "lapsed"));
      assert.deepEqual(again[1], again[0]);
      assert.deepEqual(again[2], again[0]);
    });
  });

  test("[LD9] pending matches can be confirmed after confirmation is turned off, or players have left", () => {
    const stage = confirming();
    stage.do(report("ann 1:0 bob"));
    stage.do({ type: "configure", changes: { confirm: false }, asker: { by: "carol", role: "person" } });
    stage.do(leave("ann"));
    stage.do(leave("bob"));
    stage.do(about("confirm", 1, "bob"));
    assert.equal(stage.rating("ann"), 1016);
    assert.deepEqual(stage.table, ["1 cid"]);
    stage.do(enrol("ann"));
    assert.deepEqual(stage.table, ["1 ann", "2 cid"]);
  });
});
