import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GameEvent, gameDecider, type Millis, statusOf } from "@openseat/kernel";
import { create, endBy, join, leave, millis, person, Stage, ticket } from "./room-stage.ts";

const { decide, evolve, nextDue, listing } = gameDecider;
const { save } = gameDecider.snapshots;

describe("rooms", () => {
  test("[RM1] a room has from 1 to 1,000,000 seats, and one outside of that is a fault", () => {
    for (const seats of [1, 2, 1_000_000]) assert.equal(new Stage({ seats }).room!.terms.seats, seats);
    for (const seats of [0, -1, 1.5, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => decide(undefined, create({ seats }), millis(0)), /Impossible/, String(seats));
    }
  });

  test("[RM2] nobody sits past the last seat, and a log that says so is rejected", () => {
    const stage = new Stage({ seats: 1 });
    stage.do(join("ann"));
    assert.equal(stage.refusal(join("bob")).code, "room.full");
    const second = { type: "joined", ticket: ticket(2), person: person("bob"), place: "active" } as const;
    assert.throws(
      () => evolve(stage.room, { ...second, seated: 2, waiting: 0 }, stage.now, 1),
      /more people than seats/,
    );
  });

  test("[RM3] a person who sits or waits cannot join again, and may once they have left", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    stage.do(join("ann"));
    stage.do(join("bob"));
    for (const name of ["ann", "bob"]) assert.equal(stage.refusal(join(name)).code, "place.exists");
    stage.do(leave("bob"));
    stage.do(join("bob"));
    assert.equal(stage.places.filter(({ state }) => state !== "left").length, 2);
  });

  test("[RM3] a log that gives one person two live places is rejected", () => {
    const stage = new Stage({ seats: 3 });
    stage.do(join("ann"));
    const again = { type: "joined", ticket: ticket(2), person: person("ann"), place: "active" } as const;
    assert.throws(
      () => evolve(stage.room, { ...again, seated: 2, waiting: 0 }, stage.now, 1),
      /two live places/,
    );
  });

  test("[RM4] coming back makes a new place with a new ticket, and the old one stays left", () => {
    const stage = new Stage({ seats: 2 });
    stage.at(10).do(join("ann"));
    stage.at(20).do(leave("ann"));
    stage.at(30).do(join("ann"));
    const common = { person: "ann" };
    assert.deepEqual(stage.places, [
      { ...common, ticket: 1, state: "left", enteredAt: 10, changedAt: 20 },
      { ...common, ticket: 2, state: "active", enteredAt: 30, changedAt: 30 },
    ]);
  });

  test("[RM4] a place that was left moves no more, and only the waiting are admitted", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    stage.do(leave("ann"));
    const left = { type: "left", ticket: ticket(1), person: person("ann"), reason: "left" } as const;
    assert.throws(() => evolve(stage.room, { ...left, seated: -1, waiting: 0 }, stage.now, 1), /Impossible/);
    stage.do(join("bob"));
    for (const [number, name] of [
      [1, "ann"],
      [2, "bob"],
    ] as const) {
      const admitted = { type: "admitted", ticket: ticket(number), person: person(name) } as const;
      assert.throws(
        () => evolve(stage.room, { ...admitted, seated: 1, waiting: 0 }, stage.now, 1),
        /Impossible/,
      );
    }
  });

  test("[RM5] every move is in the one entry of its command, with who, which ticket, why, and the counts", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    const ann = { ticket: 1, person: "ann" };
    const bob = { ticket: 2, person: "bob" };
    const cid = { ticket: 3, person: "cid" };
    assert.deepEqual(stage.do(join("ann")), [
      { type: "joined", ...ann, place: "active", seated: 1, waiting: 0 },
    ]);
    assert.deepEqual(stage.do(join("bob")), [
      { type: "joined", ...bob, place: "waiting", seated: 1, waiting: 1 },
    ]);
    stage.do(join("cid"));
    assert.deepEqual(stage.do(leave("cid")), [
      { type: "left", ...cid, reason: "cancelled", seated: 1, waiting: 1 },
    ]);
    assert.deepEqual(stage.do(leave("ann")), [
      { type: "left", ...ann, reason: "left", seated: 0, waiting: 1 },
      { type: "admitted", ...bob, seated: 1, waiting: 0 },
    ]);
    assert.deepEqual(stage.do(endBy("carol")), [
      { type: "ended", reason: "ended_by_hand", seated: 1, waiting: 0 },
    ]);
  });

  test("[RM5] an end by the clock has its own reason", () => {
    const stage = new Stage({ endsAt: millis(5_000) });
    const [event] = stage.at(5_000).do({ type: "tick" });
    assert.deepEqual(event, { type: "ended", reason: "end_time", seated: 0, waiting: 0 });
  });

  test("[RM6] the status follows the counts and the end, in the room and in its listing", () => {
    const stage = new Stage({ seats: 1 });
    const status = () => [statusOf(stage.room!), listing(stage.room!).status];
    assert.deepEqual(status(), ["OPEN", "OPEN"]);
    stage.do(join("ann"));
    assert.deepEqual(status(), ["FULL", "FULL"]);
    stage.do(leave("ann"));
    assert.deepEqual(status(), ["OPEN", "OPEN"]);
    stage.do(join("ann"));
    stage.do(endBy("carol"));
    assert.deepEqual(status(), ["ENDED", "ENDED"]);
  });

  test("[RM6] neither a saved room nor an entry holds a status that could disagree", () => {
    const stage = new Stage({ seats: 1 });
    const events = [...stage.do(join("ann")), ...stage.do(endBy("carol"))];
    assert.doesNotMatch(JSON.stringify([save(stage.room!).head, events]), /OPEN|FULL|ENDED|status/);
  });

  test("[RM7] a room with an end time wants to be woken then, and ends on that tick and not before", () => {
    const stage = new Stage({ seats: 1, waitlist: true, endsAt: millis(5_000) });
    stage.do(join("ann"));
    stage.do(join("bob"));
    assert.equal(nextDue(stage.room!), 5_000);
    assert.deepEqual(stage.at(4_999).do({ type: "tick" }), []);
    assert.equal(statusOf(stage.room!), "FULL");
    assert.equal(stage.at(5_050).do({ type: "tick" }).length, 1, "late, with the same result");
    assert.equal(statusOf(stage.room!), "ENDED");
    assert.equal(stage.room!.endedAt, 5_050);
    assert.equal(nextDue(stage.room!), undefined);
    assert.deepEqual(stage.at(6_000).do({ type: "tick" }), [], "a second tick changes nothing");
    assert.deepEqual(
      stage.places.map(({ state, changedAt }) => [state, changedAt]),
      [
        ["completed", 5_050],
        ["left", 5_050],
      ],
    );
  });

  test("[RM7] a room without an end time, once used, never wants to be woken, and a tick leaves it alone", () => {
    const stage = new Stage({});
    stage.do(join("ann"));
    assert.equal(nextDue(stage.room!), undefined);
    assert.deepEqual(stage.at(Number.MAX_SAFE_INTEGER).do({ type: "tick" }), []);
  });

  test("[RM7] an end time that does not lie in the future is refused", () => {
    for (const endsAt of [999, 1_000]) {
      const refusal = new Stage().refusal(create({ endsAt: millis(endsAt) }));
      assert.equal(refusal.code, "room.end-in-past");
      assert.deepEqual(refusal.data, { field: "endTime" });
    }
    assert.equal(new Stage({ endsAt: millis(1_001) }).room!.terms.endsAt, 1_001);
  });
});

test("[RM5] an event of an unknown type is not skipped", () => {
  const terms = { title: "t", seats: 2, waitlist: false, endsAt: null, creator: "c" } as const;
  const room = evolve(undefined, { type: "created", ...terms }, 1 as Millis, 1);
  const unknown = { type: "renamed", seated: 0, waiting: 0 } as unknown as GameEvent;
  assert.throws(() => evolve(room, unknown, 2 as Millis, 1), /unknown type/);
});
