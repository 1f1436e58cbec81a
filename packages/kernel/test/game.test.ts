import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type GameCommand,
  gameDecider,
  obstaclesToJoining,
  placeOf,
  positionOf,
  statusOf,
} from "@openseat/kernel";
import { create, endBy, join, leave, millis, person, Stage, ticket } from "./room-stage.ts";

const { decide, evolve } = gameDecider;
const { save } = gameDecider.snapshots;
const { fingerprint } = gameDecider.keys;

describe("games", () => {
  test("[GM2] joining is refused for the first reason that applies: not found, ended, joined already, full", () => {
    const stage = new Stage();
    for (const command of [join("ann"), leave("ann"), endBy("carol")]) {
      assert.equal(stage.refusal(command).code, "room.not-found");
    }
    stage.do(create({ seats: 1 }));
    stage.at(2_000).do(join("ann"));

    const full = stage.refusal(join("bob"));
    assert.equal(full.code, "room.full");
    assert.deepEqual(full.data, { currentPlayers: 1, maxPlayers: 1, availableSlots: 0 });

    const exists = stage.at(3_000).refusal(join("ann"));
    assert.equal(exists.code, "place.exists", "also when the game is full");
    assert.deepEqual(exists.data, { joinedAt: 2_000 });

    stage.do(endBy("carol"));
    assert.equal(stage.refusal(join("ann")).code, "room.ended", "also when joined already and full");
    assert.equal(stage.refusal(join("bob")).code, "room.ended");
  });

  test("[GM2] making a game twice is refused", () => {
    assert.equal(new Stage({}).refusal(create()).code, "room.exists");
  });

  test("[GM3] the join that takes the last seat makes the game FULL in the same entry, and the leave that frees one OPEN", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    assert.equal(statusOf(stage.room!), "OPEN");
    assert.equal(stage.do(join("bob")).length, 1);
    assert.equal(statusOf(stage.room!), "FULL");
    assert.equal(stage.do(leave("ann")).length, 1);
    assert.equal(statusOf(stage.room!), "OPEN");
  });

  test("[GM4] leaving needs a place, and keeps the participant as left with the time", () => {
    const stage = new Stage({});
    assert.equal(stage.refusal(leave("ann")).code, "place.missing");
    stage.at(10).do(join("ann"));
    stage.at(20).do(leave("ann"));
    assert.equal(stage.refusal(leave("ann")).code, "place.missing");
    assert.equal(placeOf(stage.room!, person("ann")), undefined);
    assert.deepEqual(
      stage.places.map(({ state, changedAt }) => [state, changedAt]),
      [["left", 20]],
    );
  });

  test("[GM4] leaving a game that has ended is refused, place or not", () => {
    const stage = new Stage({});
    stage.do(join("ann"));
    stage.do(endBy("carol"));
    for (const name of ["ann", "bob"]) assert.equal(stage.refusal(leave(name)).code, "room.ended");
  });

  test("[GM5] every obstacle to joining is listed, the most serious first, and asking changes nothing", () => {
    const stage = new Stage({ seats: 1 });
    const codes = (name: string) => obstaclesToJoining(stage.room!, person(name)).map(({ code }) => code);
    assert.deepEqual(codes("ann"), []);
    stage.do(join("ann"));
    const before = structuredClone(save(stage.room!));
    assert.deepEqual(codes("ann"), ["place.exists", "room.full"]);
    assert.deepEqual(codes("bob"), ["room.full"]);
    assert.deepEqual(save(stage.room!), before);
    stage.do(endBy("carol"));
    assert.deepEqual(codes("ann"), ["room.ended", "place.exists", "room.full"]);
    assert.deepEqual(codes("bob"), ["room.ended", "room.full"]);
  });

  test("[GM5] a full game with a line is no obstacle, and one who waits in it has joined already", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    stage.do(join("ann"));
    stage.do(join("bob"));
    assert.deepEqual(obstaclesToJoining(stage.room!, person("cid")), []);
    const [obstacle, ...others] = obstaclesToJoining(stage.room!, person("bob"));
    assert.equal(obstacle.code, "place.exists");
    assert.equal(obstacle.data!.yourPosition, 1);
    assert.deepEqual(others, []);
  });

  test("[GM6] the creator or an operator may end a game, others may not", () => {
    for (const command of [endBy("carol"), endBy("dave", true)]) {
      const stage = new Stage({});
      assert.equal(stage.refusal(endBy("dave")).code, "auth.forbidden");
      stage.at(7_000).do(command);
      assert.equal(stage.room!.endedAt, 7_000);
    }
  });

  test("[GM6] ENDED is final: no joins, no leaves, no second end, and no later entry is believed", () => {
    const stage = new Stage({ endsAt: millis(9_000) });
    const [joined] = stage.do(join("ann"));
    stage.do(endBy("carol"));
    for (const command of [join("bob"), leave("ann"), endBy("carol"), endBy("root", true)]) {
      assert.equal(stage.refusal(command).code, "room.ended");
    }
    assert.deepEqual(stage.at(9_000).do({ type: "tick" }), []);
    assert.throws(() => evolve(stage.room, joined, stage.now, 1), /after the end/);
  });

  test("[GM7] of ten thousand at one last seat exactly one gets it, each of the others the refusal", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("first"));
    let seated = 0;
    for (let number = 0; number < 10_000; number++) {
      const decision = decide(stage.room, join(`p${number}`), stage.now);
      if ("events" in decision) {
        seated++;
        for (const event of decision.events) stage.room = evolve(stage.room, event, stage.now, 1);
      } else {
        assert.equal(decision.refusal.code, "room.full");
        assert.deepEqual(decision.refusal.data, { currentPlayers: 2, maxPlayers: 2, availableSlots: 0 });
      }
    }
    assert.equal(seated, 1);
  });

  test("[GM8] joining a full game with a waitlist gives a position, and a freed seat goes to the front", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    for (const name of ["ann", "bob", "cid"]) stage.do(join(name));
    const { data, message } = stage.refusal(join("cid"));
    assert.deepEqual(data, { joinedAt: 1_000, yourPosition: 2 });
    assert.equal(message, "You are already waiting for this game: position 2 of 2.");
    assert.deepEqual(
      [1, 2, 3].map((number) => positionOf(stage.room!, ticket(number))),
      [0, 1, 2],
    );
    const [left, admitted] = stage.at(4_000).do(leave("ann"));
    assert.equal(left.type, "left");
    assert.deepEqual(admitted, { type: "admitted", ticket: 2, person: "bob", seated: 1, waiting: 1 });
    assert.equal(statusOf(stage.room!), "FULL", "it was never OPEN in between");
    assert.equal(placeOf(stage.room!, person("bob"))!.state, "active");
    assert.equal(placeOf(stage.room!, person("bob"))!.changedAt, 4_000);
    assert.equal(positionOf(stage.room!, ticket(3)), 1);
  });

  test("[GM8] cancelling from the line moves up those behind, frees no seat and admits nobody", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    for (const name of ["ann", "bob", "cid", "dan"]) stage.do(join(name));
    const events = stage.do(leave("bob"));
    assert.deepEqual(events, [
      { type: "left", ticket: 2, person: "bob", reason: "cancelled", seated: 1, waiting: 2 },
    ]);
    assert.deepEqual(
      [3, 4].map((number) => positionOf(stage.room!, ticket(number))),
      [1, 2],
    );
    stage.do(join("bob"));
    assert.equal(positionOf(stage.room!, ticket(5)), 3, "a person who comes back is last");
  });

  test("[ID2] commands have one fingerprint exactly when they ask for the same", () => {
    const different: GameCommand[] = [
      create(),
      create({ title: "Go" }),
      create({ seats: 3 }),
      create({ waitlist: true }),
      create({ endsAt: millis(5_000) }),
      create({ title: 'Chess",2,false,null]' }),
      join("ann"),
      leave("ann"),
      endBy("carol"),
    ];
    const prints = different.map(fingerprint);
    assert.equal(new Set(prints).size, different.length);
    assert.deepEqual(
      different.map((command) => fingerprint(structuredClone(command))),
      prints,
    );
  });
});
