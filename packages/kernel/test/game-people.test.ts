import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type GameEvent,
  type GameRoom,
  gameDecider,
  leasedTicketOf,
  presentAfter,
  seatedIn,
} from "@openseat/kernel";
import { create, endBy, expire, join, leave, millis, person, remove, Stage, ticket } from "./room-stage.ts";

const { evolve } = gameDecider;
const { restore, save } = gameDecider.snapshots;
const { fingerprint } = gameDecider.keys;
const [placeLease] = gameDecider.presence!.leases;
const named = (id: string, name: string) => ({ ...join(id), name });

describe("names in games", () => {
  test("[GM9] every entry about a person has the name by which they joined", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    const [joined] = stage.do(named("ann", "Ann 🌲"));
    assert.deepEqual(joined, {
      type: "joined",
      ...{ ticket: 1, person: "ann", name: "Ann 🌲" },
      ...{ place: "active", seated: 1, waiting: 0 },
    });
    stage.do(named("bob", "Bob"));
    const names = stage.do(leave("ann")).map((event) => ("name" in event ? event.name : undefined));
    assert.deepEqual(names, ["Ann 🌲", "Bob"]);
  });

  test("[GM9] a person who comes back by another name has the new one", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(named("ann", "Ann"));
    stage.do(leave("ann"));
    stage.do(named("ann", "Anna"));
    assert.deepEqual([stage.room!.names.of(ticket(1)), stage.room!.names.of(ticket(2))], ["Ann", "Anna"]);
    assert.equal(stage.room!.names.of(ticket(3)), undefined);
  });

  test("[GM9][LG5] entries and snapshots from before there were names are read as ever", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    stage.do(join("ann"));
    const { head, columns } = save(stage.room!);
    const { nameBytes: _, nameStarts: __, ...old } = columns;
    let room: GameRoom = restore({ head, columns: old });
    assert.equal(room.names.of(ticket(1)), undefined);
    const counts = { seated: 1, waiting: 1 };
    const events: GameEvent[] = [
      { type: "joined", ticket: ticket(2), person: person("bob"), name: "Bob", place: "waiting", ...counts },
      { type: "left", ticket: ticket(1), person: person("ann"), reason: "left", seated: 0, waiting: 1 },
      { type: "admitted", ticket: ticket(2), person: person("bob"), seated: 1, waiting: 0 },
    ];
    for (const event of events) room = evolve(room, event, millis(2_000), 1);
    assert.equal(room.names.of(ticket(2)), "Bob");
    assert.deepEqual([...seatedIn(room)], [2]);
  });
});

describe("people who are removed", () => {
  test("[GM10] the creator of a game takes a seat away; it goes to the front of the line in the same entry", () => {
    const stage = new Stage({ seats: 1, waitlist: true, creator: "carol" });
    for (const name of ["ann", "bob", "cid"]) stage.do(join(name));
    assert.deepEqual(stage.do(remove("ann", "carol")), [
      { type: "left", ticket: 1, person: "ann", reason: "removed", seated: 0, waiting: 2 },
      { type: "admitted", ticket: 2, person: "bob", seated: 1, waiting: 1 },
    ]);
    assert.deepEqual(
      presentAfter(stage.room!, 0, 9).map(({ person }) => person),
      ["bob", "cid"],
    );
    assert.equal(stage.room!.roster.stateOf(ticket(1)), "left");
  });

  test("[GM10] an operator does too, also from the line; nobody else may", () => {
    const stage = new Stage({ seats: 1, waitlist: true, creator: "carol" });
    for (const name of ["ann", "bob"]) stage.do(join(name));
    for (const by of ["ann", "bob", "@service"])
      assert.equal(stage.refusal(remove("bob", by)).code, "auth.forbidden");
    assert.deepEqual(stage.do(remove("bob", "@operator", true)), [
      { type: "left", ticket: 2, person: "bob", reason: "removed", seated: 1, waiting: 0 },
    ]);
  });

  test("[GM10] somebody who has no place cannot be removed, nor anybody after the end", () => {
    const stage = new Stage({ seats: 1 });
    assert.equal(stage.refusal(remove("ann", "carol")).code, "place.missing");
    stage.do(join("ann"));
    stage.do(endBy("carol"));
    assert.equal(stage.refusal(remove("ann", "carol")).code, "room.ended");
  });

  test("[GM10] a person who was removed may join again, at the back", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    for (const name of ["ann", "bob"]) stage.do(join(name));
    stage.do(remove("ann", "carol"));
    assert.deepEqual(stage.do(join("ann")), [
      { type: "joined", ticket: 3, person: "ann", place: "waiting", seated: 1, waiting: 1 },
    ]);
  });

  test("[ID2] to remove another person is another request", () => {
    assert.notEqual(fingerprint(remove("ann", "carol")), fingerprint(remove("bob", "carol")));
  });
});

describe("places in games that expire", () => {
  test("[LS2] last forever unless the game was created with a timeout", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    assert.equal(placeLease.windowMs(stage.room!), undefined);
    assert.equal(leasedTicketOf(stage.room!, person("ann")), undefined);
  });

  test("[LS2] need heartbeats while somebody has one, and not after the end", () => {
    const stage = new Stage({ seats: 1, waitlist: true, heartbeatTimeoutMs: 9_000 });
    assert.equal(placeLease.windowMs(stage.room!), undefined);
    stage.do(join("ann"));
    assert.equal(placeLease.windowMs(stage.room!), 9_000);
    assert.equal(leasedTicketOf(stage.room!, person("ann")), 1);
    stage.do(endBy("carol"));
    assert.equal(placeLease.windowMs(stage.room!), undefined);
    assert.equal(leasedTicketOf(stage.room!, person("ann")), undefined);
  });

  test("[LS2][GM8] silent people lose seats and places in the line, and others move up, in one entry", () => {
    const stage = new Stage({ seats: 2, waitlist: true, heartbeatTimeoutMs: 9_000 });
    for (const name of ["ann", "bob", "cid", "dan", "eve"]) stage.do(join(name));
    const received = new Set([2, 4, 5]);
    const command = placeLease.lapse(stage.room!, (each) => received.has(each), millis(0));
    assert.deepEqual(command, expire(1, 3));
    assert.deepEqual(stage.do(command!), [
      { type: "left", ticket: 1, person: "ann", reason: "heartbeat_timeout", seated: 1, waiting: 3 },
      { type: "left", ticket: 3, person: "cid", reason: "heartbeat_timeout", seated: 1, waiting: 2 },
      { type: "admitted", ticket: 4, person: "dan", seated: 2, waiting: 1 },
    ]);
    assert.equal(stage.room!.roster.stateOf(ticket(1)), "expired");
    assert.equal(
      placeLease.lapse(stage.room!, () => true, millis(0)),
      undefined,
    );
  });

  test("[LS2] a crowd that is gone ends in several entries, none of them large", () => {
    const stage = new Stage({ seats: 3_000, heartbeatTimeoutMs: 9_000 });
    for (let number = 1; number <= 3_000; number++) stage.do(join(`p${number}`));
    const sizes: number[] = [];
    for (;;) {
      const command = placeLease.lapse(stage.room!, () => false, millis(0));
      if (!command) break;
      sizes.push(stage.do(command).length);
    }
    assert.deepEqual(sizes, [1_024, 1_024, 952]);
    assert.equal(stage.room!.seated, 0);
  });

  test("[LS2][LG5] a game that is restored goes on by the same timeout, with the same people on seats", () => {
    const stage = new Stage({ seats: 2, waitlist: true, heartbeatTimeoutMs: 9_000 });
    for (const name of ["ann", "bob", "cid"]) stage.do(join(name));
    stage.do(leave("ann"));
    const restored = restore(save(stage.room!));
    assert.equal(placeLease.windowMs(restored), 9_000);
    assert.deepEqual([...seatedIn(restored)], [...seatedIn(stage.room!)]);
  });

  test("[ID2] a timeout makes it another game; without one, a game is asked for as ever", () => {
    assert.equal(fingerprint(create()), 'create ["Chess",2,false,null]');
    assert.notEqual(fingerprint(create({ heartbeatTimeoutMs: 9_000 })), fingerprint(create()));
  });
});
