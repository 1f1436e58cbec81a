import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ArenaRoom,
  arenaDecider,
  arenaStatusOf,
  gameDecider,
  ladderDecider,
  ladderStatusOf,
  queueDecider,
  roomLimits,
  statusOf,
  takesDuels,
} from "@openseat/kernel";
import { ArenaStage, createArena, join as enter, configure as rearrange } from "./arena/stage.ts";
import {
  configure,
  createLadder,
  deliver,
  enrol,
  importing,
  importRow,
  LadderStage,
} from "./ladder/stage.ts";
import { QueueStage } from "./queue-stage.ts";
import { create, join, leave, millis, Stage } from "./room-stage.ts";

const week = roomLimits.unusedMsMax;
const madeAt = 1_000;
const due = madeAt + week;

describe("a game that a person made and nobody joined", () => {
  const { nextDue, listing } = gameDecider;

  test("[LM7] ends a week later, by the clock, with its reason", () => {
    const stage = new Stage({});
    assert.equal(nextDue(stage.room!), due);
    assert.deepEqual(stage.at(due - 1).do({ type: "tick" }), []);
    assert.deepEqual(stage.at(due).do({ type: "tick" }), [
      { type: "ended", reason: "unused", seated: 0, waiting: 0 },
    ]);
    assert.equal(statusOf(stage.room!), "ENDED");
    assert.equal(listing(stage.room!).status, "ENDED");
    assert.equal(nextDue(stage.room!), undefined);
    assert.equal(stage.refusal(join("ann")).code, "room.ended");
  });

  test("[LM7] stays once somebody has joined, though they have left again", () => {
    const stage = new Stage({});
    stage.do(join("ann"));
    assert.equal(nextDue(stage.room!), undefined);
    stage.do(leave("ann"));
    assert.equal(nextDue(stage.room!), undefined);
    assert.deepEqual(stage.at(due).do({ type: "tick" }), []);
  });

  test("[LM7][RM7] ends at its end time if that comes first", () => {
    const stage = new Stage({ endsAt: millis(5_000) });
    assert.equal(nextDue(stage.room!), 5_000);
    assert.equal(nextDue(new Stage({ endsAt: millis(2 * due) }).room!), due);
    const [ended] = stage.at(5_000).do({ type: "tick" });
    assert.equal(ended.type === "ended" && ended.reason, "end_time");
  });
});

test("[LM7] what services and operators have made stays, used or not", () => {
  for (const creator of ["@operator", "@service"]) {
    const game = new Stage();
    game.do(create({ creator }));
    assert.equal(gameDecider.nextDue(game.room!), undefined);
    const made = {
      at: millis(madeAt),
      arena: { ...createArena(), creator },
      ladder: { ...createLadder(), creator },
    };
    const arena = arenaDecider.decide(undefined, made.arena, made.at);
    assert.ok("events" in arena);
    assert.equal(
      arenaDecider.nextDue(arenaDecider.evolve(undefined, arena.events[0], made.at, 1)),
      undefined,
    );
    const ladder = ladderDecider.decide(undefined, made.ladder, made.at);
    assert.ok("events" in ladder);
    assert.equal(
      ladderDecider.nextDue(ladderDecider.evolve(undefined, ladder.events[0], made.at, 1)),
      undefined,
    );
  }
  // Only operators create waiting rooms.
  assert.equal(queueDecider.nextDue(new QueueStage().room), undefined);
});

describe("an arena that a person made and nobody joined", () => {
  const { nextDue, listing } = arenaDecider;

  test("[LM7] ends a week later, by the clock, and nobody can join or change it any more", () => {
    const stage = new ArenaStage();
    stage.do(rearrange({ title: "Another" }));
    assert.equal(nextDue(stage.room), due, "changing settings does not count as use");
    stage.at(due - 1);
    assert.equal(arenaStatusOf(stage.room), "WAITING");
    stage.at(due);
    assert.deepEqual(stage.entries.at(-1)!.events, [{ type: "expired", reason: "unused" }]);
    assert.deepEqual([arenaStatusOf(stage.room), listing(stage.room).status], ["ENDED", "ENDED"]);
    assert.equal(nextDue(stage.room), undefined);
    stage.refused(enter("ann"), "room.ended");
    stage.refused(rearrange({ title: "Again" }), "room.ended");
    stage.refused({ type: "leave", person: "ann" as never }, "place.missing");
    assert.throws(
      () => stage.write([{ type: "configured", settings: stage.room.settings }]),
      /after the end/,
    );
  });

  test("[LM7][LG5] has ended after a restart, too", () => {
    const stage = new ArenaStage();
    stage.at(due);
    const restored: ArenaRoom = stage.restored;
    assert.equal(arenaStatusOf(restored), "ENDED");
    assert.equal(restored.endedAt, due);
  });

  test("[LM7] stays once somebody has joined; and a due time of its own keeps no arena in memory", () => {
    const stage = new ArenaStage();
    assert.equal(arenaDecider.clock!.isRunning(stage.room), false);
    stage.do(enter("ann"));
    assert.equal(nextDue(stage.room), undefined);
    stage.do(enter("bob"));
    assert.equal(arenaDecider.clock!.isRunning(stage.room), true);
    assert.throws(() => stage.write([{ type: "expired", reason: "unused" }]), /that was used/);
  });

  test("[LM7][AR12] one of several tiers stays: it is part of an arena that others play in", () => {
    const tiers = [
      { arena: "a", name: "Novices", from: null, below: 1_200 },
      { arena: "b", name: "Masters", from: 1_200, below: null },
    ];
    const command = { ...createArena(), rated: { ladder: "l", tiers, tier: 1 } };
    const decision = arenaDecider.decide(undefined, command, millis(madeAt));
    assert.ok("events" in decision);
    assert.equal(nextDue(arenaDecider.evolve(undefined, decision.events[0], millis(madeAt), 1)), undefined);
  });
});

describe("a ladder that a person made and nobody joined", () => {
  const { nextDue, listing } = ladderDecider;

  test("[LM7] ends a week later, by the clock, and nobody can join, report, import or change it any more", () => {
    const stage = new LadderStage({ duels: true });
    stage.do(configure({ confirm: true }));
    assert.equal(nextDue(stage.ladder), due, "changing settings does not count as use");
    stage.at(due - 1);
    assert.equal(ladderStatusOf(stage.ladder), "OPEN");
    assert.deepEqual(stage.at(due).wake(), []);
    assert.deepEqual(stage.entries.at(-1)!.events, [{ type: "expired", reason: "unused" }]);
    assert.deepEqual([ladderStatusOf(stage.ladder), listing(stage.ladder).status], ["ENDED", "ENDED"]);
    assert.equal(takesDuels(stage.ladder), false);
    assert.equal(nextDue(stage.ladder), undefined);
    for (const command of [enrol("ann"), enrol("ann", "@op"), configure({ open: false }), importing("d", [])])
      stage.refused(command, "ladder.ended");
    const restored = stage.restored;
    assert.equal(ladderStatusOf(restored), "ENDED");
  });

  test("[LM7] stays once somebody has joined, or a file was imported", () => {
    const stage = new LadderStage().enrol("ann");
    assert.equal(nextDue(stage.ladder), undefined);
    const other = new LadderStage();
    other.do(importing("d", [importRow("ann 1:0 bob")]));
    other.at(due);
    assert.equal(ladderStatusOf(other.ladder), "OPEN");
    assert.throws(() => stage.write([{ type: "expired", reason: "unused" }]), /that was used/);
  });

  test("[LM7][LD12] is in use again when an arena that feeds it is played in after all: no result is lost", () => {
    const stage = new LadderStage();
    stage.at(due);
    stage.do(deliver("arena/a", { 5: "ann 1:0 bob" }));
    assert.equal(ladderStatusOf(stage.ladder), "OPEN");
    assert.deepEqual(stage.table, ["1 ann", "2 bob"]);
    stage.enrol("cid");
    assert.equal(nextDue(stage.ladder), undefined);
  });
});
