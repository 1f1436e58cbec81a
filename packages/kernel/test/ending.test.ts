import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ArenaCommand,
  arenaDecider,
  arenaStatusOf,
  countsOf,
  type LadderCommand,
  ladderDecider,
  ladderStatusOf,
  livePlaceIn,
  placeIn,
  queueDecider,
  queuePlace,
  queueStatistics,
  queueStatusOf,
  takesDuels,
} from "@openseat/kernel";
import { ArenaStage, move as play, configure as rearrange, join as sit } from "./arena/stage.ts";
import { throughBytes, typesOf } from "./decider-stage.ts";
import {
  about as aboutMatch,
  asker,
  configure,
  deliver,
  enrol,
  importing,
  importRow,
  LadderStage,
  leave,
  report,
} from "./ladder/stage.ts";
import { about, enter, QueueStage } from "./queue-stage.ts";
import { millis, person, ticket } from "./room-stage.ts";

describe("a waiting room that an operator ends", () => {
  /** Of p1 to p6: one active, one admitted, one who has left, and three in the line. */
  function busy(): QueueStage {
    const stage = new QueueStage({ seats: 2, sessionTimeoutMs: 9_000 });
    for (let number = 1; number <= 6; number++) stage.enter(`p${number}`);
    stage.do(about("claim", 1));
    stage.do(about("leave", 6, "p6"));
    return stage;
  }

  test("[RM8][RM5] ends every place in it in one entry, for the reason room_ended", () => {
    const stage = busy();
    assert.deepEqual(stage.at(5_000).do({ type: "end" }), [
      { type: "ended", reason: "ended_by_hand", waiting: 0, admitted: 0, active: 0, moved: 2 },
    ]);
    for (const number of [1, 2, 3, 4, 5]) {
      const { state, reason, changedAt, position, until } = stage.placeOf(number);
      assert.deepEqual(
        { state, reason, changedAt, position, until },
        { state: "expired", reason: "room_ended", changedAt: 5_000, position: 0, until: undefined },
      );
      assert.equal(livePlaceIn(stage.room, person(`p${number}`), millis(6_000)), undefined);
    }
    assert.equal(stage.placeOf(6).reason, "cancelled");
    const { expired, left: gone, entered } = queueStatistics(stage.room, millis(6_000));
    assert.deepEqual({ expired, gone, entered }, { expired: 5, gone: 1, entered: 6 });
    assert.equal(queueStatusOf(stage.room), "ENDED");
    assert.equal(queueDecider.listing(stage.room).status, "ENDED");
  });

  test("[RM8] nobody enters, claims or is let in after it, and nothing is due any more", () => {
    const stage = busy();
    stage.do({ type: "end" });
    assert.equal(stage.refusal(enter("new")).code, "room.ended");
    for (const type of ["pause", "resume", "end"] as const)
      assert.equal(stage.refusal({ type }).code, "room.ended");
    assert.equal(stage.refusal({ type: "configure", changes: { seats: 9 } }).code, "room.ended");
    for (const type of ["leave", "claim", "complete", "terminate"] as const) {
      const { code, message } = stage.refusal(about(type, 2));
      assert.deepEqual({ code, message }, { code: "place.over", message: "This waiting room has ended." });
    }
    assert.equal(stage.refusal(about("leave", 2, "p3")).code, "place.not-found");
    assert.equal(queueDecider.nextDue(stage.room), undefined);
    assert.deepEqual(queueDecider.decide(stage.room, { type: "tick" }, millis(10 ** 12)), { events: [] });
    for (const lease of queueDecider.presence!.leases) assert.equal(lease.windowMs(stage.room), undefined);
  });

  test("[RM8][LG5] is the same when replayed, from the log or a snapshot", () => {
    const stage = busy();
    stage.do({ type: "end" });
    const restored = stage.restored;
    for (const room of [restored, stage.replayed]) {
      assert.equal(queueStatusOf(room), "ENDED");
      assert.equal(queueDecider.nextDue(room), undefined);
      assert.deepEqual(countsOf(room), countsOf(stage.room));
      assert.deepEqual(
        queuePlace(room, ticket(2), undefined, millis(9_000)),
        queuePlace(stage.room, ticket(2), undefined, millis(9_000)),
      );
    }
  });
});

describe("an arena that its creator ends", () => {
  const end = (by = "carol", asOperator = false): ArenaCommand => ({ type: "end", by, asOperator });

  test("[RM8] seats, line and the current match end in one entry, without a winner", () => {
    const stage = new ArenaStage({ game: "tic-tac-toe" }).join("ann", "bob", "cid");
    stage.move("ann", "a1");
    const before = stage.room.line.length;
    const events = stage.do(end());
    assert.equal(before, 1);
    assert.deepEqual(typesOf(events), ["ended", "expired"]);
    const [ended, expired] = events;
    assert.ok(ended.type === "ended" && ended.winner === null && ended.reason === "arena-ended");
    assert.equal(ended.played?.length, 1, "the moves can be replayed");
    assert.deepEqual(expired, { type: "expired", reason: "ended_by_hand" });
    const { room } = stage;
    assert.deepEqual([room.match, room.line.length, room.entrants.size], [undefined, 0, 0]);
    assert.ok(room.seats.every((player) => player === undefined));
    for (const name of ["ann", "bob", "cid"]) assert.equal(placeIn(room, person(name)), undefined);
    assert.deepEqual([arenaStatusOf(room), arenaDecider.listing(room).status], ["ENDED", "ENDED"]);
    assert.equal(arenaDecider.nextDue(room), undefined);
    assert.equal(arenaDecider.clock!.isRunning(room), false);
  });

  test("[RM8] only they and operators may, and once", () => {
    const stage = new ArenaStage().join("ann");
    stage.refused(end("ann"), "auth.forbidden");
    stage.do(end("@operator", true));
    stage.refused(end(), "room.ended");
    stage.refused(sit("bob"), "room.ended");
    stage.refused(sit("ann"), "room.ended");
    stage.refused(rearrange({ title: "Again" }), "room.ended");
    stage.refused({ type: "leave", person: person("ann") }, "place.missing");
    stage.refused(play("ann", 1, "a1"), "match.none");
  });

  test("[RM8][LD12] the match that it cut off counts on no ladder", () => {
    const stage = new ArenaStage().join("ann", "bob");
    const rated = {
      ...stage.room,
      terms: { ...stage.room.terms, rated: { ladder: "l", tiers: [], tier: 0 } },
    };
    assert.deepEqual(arenaDecider.effects!(rated, stage.do(end())), []);
  });

  test("[RM8][LG5] is the same when replayed", () => {
    const stage = new ArenaStage().join("ann", "bob", "cid");
    stage.do(end());
    const restored = stage.restored;
    assert.equal(arenaStatusOf(restored), "ENDED");
    assert.deepEqual(arenaDecider.snapshots.save(restored), stage.saved);
  });
});

describe("a ladder that its creator ends", () => {
  const end = (by = "carol"): LadderCommand => ({ type: "end", asker: asker(by) });

  test("[RM8] nobody enrols, reports, confirms or imports after it; what was played can be read", () => {
    const stage = new LadderStage({ confirm: true, duels: true }).enrol("ann", "bob").play("ann 1:0 bob");
    stage.do(report("ann 2:0 bob", "ann"));
    const before = stage.rating("ann");
    stage.refused(end("ann"), "auth.forbidden");
    assert.deepEqual(stage.do(end()), [{ type: "expired", reason: "ended_by_hand" }]);
    assert.deepEqual(
      [ladderStatusOf(stage.ladder), ladderDecider.listing(stage.ladder).status],
      ["ENDED", "ENDED"],
    );
    assert.equal(takesDuels(stage.ladder), false);
    for (const command of [
      enrol("cid"),
      enrol("cid", "@op"),
      report("ann 1:0 bob", "@op"),
      aboutMatch("confirm", 2, "bob"),
      importing("d", [importRow("ann 1:0 bob")]),
      configure({ open: true }),
      end(),
      end("@op"),
    ])
      stage.refused(command, "ladder.ended");
    assert.equal(stage.rating("ann"), before);
    assert.deepEqual(stage.table, ["1 ann", "2 bob"]);
  });

  test("[RM8] players can still leave, decline and void", () => {
    const stage = new LadderStage({ confirm: true }).enrol("ann", "bob").play("ann 1:0 bob");
    stage.do(report("ann 2:0 bob", "ann"));
    stage.do(end());
    stage.do(aboutMatch("decline", 2, "bob"));
    stage.void(1);
    stage.do(leave("ann"));
    assert.deepEqual(stage.table, ["1 bob"]);
    assert.equal(stage.rating("bob"), 1000);
  });

  test("[RM8] what arenas send arrives and does not count; what the directory sends takes effect", () => {
    const stage = new LadderStage().enrol("ann", "bob");
    stage.do(end());
    const events = stage.do(deliver("arena/a", { 5: "ann 1:0 new", 7: "ann 1:0 bob" }));
    assert.deepEqual(events, [{ type: "received", from: "arena/a", version: 7 }]);
    assert.equal(ladderStatusOf(stage.ladder), "ENDED");
    assert.equal(stage.rating("ann"), 1000);
    const gone = {
      type: "deliver",
      from: "directory/d",
      deliveries: [{ version: 3, gone: person("ann") }],
    } as const;
    stage.do(gone);
    assert.deepEqual(stage.table, ["1 bob"]);
  });

  test("[RM8] an unused one is not reopened by an arena", () => {
    const stage = new LadderStage();
    stage.do(end());
    stage.do(deliver("arena/a", { 5: "ann 1:0 bob" }));
    assert.deepEqual([ladderStatusOf(stage.ladder), stage.table], ["ENDED", []]);
  });

  test("[RM8] a running import is completed", () => {
    const stage = new LadderStage();
    stage.do(importing("d", [importRow("ann 1:0 bob"), importRow("bob 1:0 ann")]));
    stage.do(end());
    stage.at(stage.now + 1_000);
    assert.equal(stage.ladder.counting, 2);
    assert.equal(ladderStatusOf(stage.ladder), "ENDED");
  });

  test("[RM8][LG5] is the same when replayed", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 1:0 bob");
    stage.do(end());
    const restored = ladderDecider.snapshots.restore(throughBytes(stage.saved));
    for (const ladder of [restored, stage.replayed]) {
      assert.equal(ladderStatusOf(ladder), "ENDED");
      const command = deliver("arena/a", { 5: "ann 1:0 bob" });
      const decision = ladderDecider.decide(ladder, command, millis(stage.now));
      assert.ok("events" in decision && decision.events.length === 1);
    }
  });
});
