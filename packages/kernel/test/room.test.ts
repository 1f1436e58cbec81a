import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Millis,
  obstaclesToJoining,
  type PersonId,
  type Place,
  placeOf,
  placesAfter,
  positionOf,
  type Room,
  type RoomCommand,
  type RoomEvent,
  roomDecider,
  type Saved,
  statusOf,
  type TicketNumber,
} from "@openseat/kernel";
import fc from "fast-check";

const { decide, evolve, nextDue, fingerprint, listing, save, restore } = roomDecider;
const millis = (value: number) => value as Millis;
const person = (name: string) => name as PersonId;
const ticket = (value: number) => value as TicketNumber;

type Create = Extract<RoomCommand, { type: "create" }>;
type Terms = Partial<Omit<Create, "type">>;

const create = (terms: Terms = {}): Create => ({
  type: "create",
  title: "Chess",
  seats: 2,
  waitlist: false,
  endsAt: null,
  creator: "carol",
  ...terms,
});
const join = (name: string): RoomCommand => ({ type: "join", person: person(name) });
const leave = (name: string): RoomCommand => ({ type: "leave", person: person(name) });
const endBy = (by: string, asOperator = false): RoomCommand => ({ type: "end", by, asOperator });

/** A room, and the plainest host there can be: decides, evolves, one step after the other. */
class Stage {
  room: Room | undefined;
  now = millis(1_000);

  constructor(terms?: Terms) {
    if (terms) this.do(create(terms));
  }

  /** The events of the one entry that the command makes. */
  do(command: RoomCommand): readonly RoomEvent[] {
    const decision = decide(this.room, command, this.now);
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}`);
    for (const event of decision.events) this.room = evolve(this.room, event, this.now);
    return decision.events;
  }

  refusal(command: RoomCommand) {
    const decision = decide(this.room, command, this.now);
    assert.ok("refusal" in decision, `${command.type} was not refused`);
    return decision.refusal;
  }

  at(now: number): this {
    this.now = millis(now);
    return this;
  }

  get places(): Place[] {
    return placesAfter(this.room!, 0, 1_000_000);
  }
}

describe("rooms", () => {
  test("[RM1] a room has from 1 to 1,000,000 seats, and one outside of that is a fault", () => {
    for (const seats of [1, 2, 1_000_000]) assert.equal(new Stage({ seats }).room!.terms.seats, seats);
    for (const seats of [0, -1, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => decide(undefined, create({ seats }), millis(0)), /Impossible/, String(seats));
    }
  });

  test("[RM1] there is no half seat", () => {
    assert.throws(() => decide(undefined, create({ seats: 1.5 }), millis(0)), /Impossible/);
  });

  test("[RM2] nobody sits past the last seat, and a log that says so is not believed", () => {
    const stage = new Stage({ seats: 1 });
    stage.do(join("ann"));
    assert.equal(stage.refusal(join("bob")).code, "room.full");
    const second = { type: "joined", ticket: ticket(2), person: person("bob"), place: "active" } as const;
    assert.throws(
      () => evolve(stage.room, { ...second, seated: 2, waiting: 0 }, stage.now),
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

  test("[RM3] a log that gives one person two live places is not believed", () => {
    const stage = new Stage({ seats: 3 });
    stage.do(join("ann"));
    const again = { type: "joined", ticket: ticket(2), person: person("ann"), place: "active" } as const;
    assert.throws(
      () => evolve(stage.room, { ...again, seated: 2, waiting: 0 }, stage.now),
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

  test("[RM4] a place that was left moves no more", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    stage.do(leave("ann"));
    const left = { type: "left", ticket: ticket(1), person: person("ann"), reason: "left" } as const;
    assert.throws(() => evolve(stage.room, { ...left, seated: -1, waiting: 0 }, stage.now), /Impossible/);
    const admitted = { type: "admitted", ticket: ticket(1), person: person("ann") } as const;
    assert.throws(() => evolve(stage.room, { ...admitted, seated: 1, waiting: 0 }, stage.now), /Impossible/);
  });

  test("[RM4] someone who sits already is not admitted, for only the waiting are", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    const admitted = { type: "admitted", ticket: ticket(1), person: person("ann") } as const;
    assert.throws(() => evolve(stage.room, { ...admitted, seated: 2, waiting: 0 }, stage.now), /Impossible/);
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
    assert.equal(stage.at(5_000).do({ type: "tick" }).length, 1);
    assert.equal(statusOf(stage.room!), "ENDED");
    assert.equal(stage.room!.endedAt, 5_000);
    assert.equal(nextDue(stage.room!), undefined);
    assert.deepEqual(stage.at(6_000).do({ type: "tick" }), [], "a second tick changes nothing");
    assert.deepEqual(
      stage.places.map(({ state, changedAt }) => [state, changedAt]),
      [
        ["completed", 5_000],
        ["left", 5_000],
      ],
    );
  });

  test("[RM7] a late tick ends the room all the same, at the time of the tick", () => {
    const stage = new Stage({ endsAt: millis(5_000) });
    stage.at(9_000).do({ type: "tick" });
    assert.equal(stage.room!.endedAt, 9_000);
  });

  test("[RM7] a room without an end time never wants to be woken, and a tick leaves it alone", () => {
    const stage = new Stage({});
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

  test("[GM2] joining again from the line is refused with the time and the position", () => {
    const stage = new Stage({ seats: 1, waitlist: true });
    for (const name of ["ann", "bob", "cid"]) stage.do(join(name));
    const refusal = stage.refusal(join("cid"));
    assert.equal(refusal.code, "place.exists");
    assert.deepEqual(refusal.data, { joinedAt: 1_000, yourPosition: 2 });
  });

  test("[GM2] making a game twice is refused", () => {
    assert.equal(new Stage({}).refusal(create()).code, "room.exists");
  });

  test("[GM3] the join that takes the last seat makes the game FULL in the same entry", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("ann"));
    assert.equal(statusOf(stage.room!), "OPEN");
    const events = stage.do(join("bob"));
    assert.equal(events.length, 1);
    assert.equal(statusOf(stage.room!), "FULL");
  });

  test("[GM3] the leave that frees a seat makes the game OPEN in the same entry", () => {
    const stage = new Stage({ seats: 1 });
    stage.do(join("ann"));
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

  test("[GM5] every obstacle to joining is listed, the gravest first, and asking changes nothing", () => {
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

  test("[GM5] someone who left is no participant any more", () => {
    const stage = new Stage({});
    stage.do(join("ann"));
    stage.do(leave("ann"));
    assert.equal(placeOf(stage.room!, person("ann")), undefined);
    assert.deepEqual(obstaclesToJoining(stage.room!, person("ann")), []);
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
    assert.throws(() => evolve(stage.room, joined, stage.now), /after its end/);
  });

  test("[GM7] of ten thousand at one last seat exactly one gets it, each of the others the refusal", () => {
    const stage = new Stage({ seats: 2 });
    stage.do(join("first"));
    let seated = 0;
    for (let number = 0; number < 10_000; number++) {
      const decision = decide(stage.room, join(`p${number}`), stage.now);
      if ("events" in decision) {
        seated++;
        for (const event of decision.events) stage.room = evolve(stage.room, event, stage.now);
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
    assert.equal(positionOf(stage.room!, ticket(5)), 3, "coming back is coming last");
  });

  test("[GM8] without a waitlist nobody waits, and with one nobody sits while others wait", () => {
    const plain = new Stage({ seats: 1 });
    plain.do(join("ann"));
    assert.equal(plain.refusal(join("bob")).code, "room.full");
    const stage = new Stage({ seats: 2, waitlist: true });
    for (const name of ["ann", "bob", "cid"]) stage.do(join(name));
    stage.do(leave("ann"));
    const [joined] = stage.do(join("ann"));
    assert.equal(joined.type === "joined" && joined.place, "waiting");
  });

  test("[ID2] commands have one fingerprint exactly when they ask for the same", () => {
    const different: RoomCommand[] = [
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

/** The rules in the plainest words, with arrays to be searched: too slow for a server, too short to be wrong. */
class Model {
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: number | null;
  endedAt: number | undefined;
  places: { person: string; state: string; enteredAt: number; changedAt: number }[] = [];

  constructor({ seats, waitlist, endsAt }: Create) {
    this.seats = seats;
    this.waitlist = waitlist;
    this.endsAt = endsAt;
  }

  in(state: string) {
    return this.places.filter((place) => place.state === state);
  }

  /** The code of the refusal, or what happened. */
  do(command: RoomCommand, now: number): string[] {
    if (command.type === "tick") {
      if (this.endedAt !== undefined || this.endsAt === null || this.endsAt > now) return [];
      return this.#end(now);
    }
    if (command.type === "end") {
      if (!command.asOperator && command.by !== "carol") return ["auth.forbidden"];
      return this.endedAt === undefined ? this.#end(now) : ["room.ended"];
    }
    if (command.type === "create") return ["room.exists"];
    if (this.endedAt !== undefined) return ["room.ended"];
    const { person } = command;
    const place = this.places.find((it) => it.person === person && ["active", "waiting"].includes(it.state));
    if (command.type === "join") {
      if (place) return ["place.exists"];
      const isFull = this.in("active").length === this.seats;
      if (isFull && !this.waitlist) return ["room.full"];
      const state = isFull ? "waiting" : "active";
      this.places.push({ person, state, enteredAt: now, changedAt: now });
      return [`joined ${state} ${person}`];
    }
    if (!place) return ["place.missing"];
    const happened = [`left ${place.state === "waiting" ? "cancelled" : "left"} ${person}`];
    const next = place.state === "active" ? this.in("waiting")[0] : undefined;
    Object.assign(place, { state: "left", changedAt: now });
    if (next) {
      Object.assign(next, { state: "active", changedAt: now });
      happened.push(`admitted ${next.person}`);
    }
    return happened;
  }

  #end(now: number): string[] {
    this.endedAt = now;
    for (const place of this.in("active")) Object.assign(place, { state: "completed", changedAt: now });
    for (const place of this.in("waiting")) Object.assign(place, { state: "left", changedAt: now });
    return ["ended"];
  }

  get status(): string {
    if (this.endedAt !== undefined) return "ENDED";
    return this.in("active").length < this.seats ? "OPEN" : "FULL";
  }
}

function inWords(event: RoomEvent): string {
  if (event.type === "joined") return `joined ${event.place} ${event.person}`;
  if (event.type === "left") return `left ${event.reason} ${event.person}`;
  return event.type === "admitted" ? `admitted ${event.person}` : event.type;
}

function assertSame(room: Room, model: Model): void {
  const places = placesAfter(room, 0, 1_000_000);
  assert.deepEqual(
    places,
    model.places.map((place, index) => ({ ...place, ticket: index + 1 })),
  );
  assert.equal(statusOf(room), model.status);
  const waiting = places.filter(({ state }) => state === "waiting");
  assert.equal(room.line.length, waiting.length);
  waiting.forEach((place, index) => {
    assert.equal(positionOf(room, place.ticket), index + 1);
  });
  if (model.endedAt === undefined) {
    assert.equal(room.seated, model.in("active").length);
    assert.equal(nextDue(room), model.endsAt ?? undefined);
  }
  assert.ok(room.seated <= model.seats);
  assert.deepEqual(listing(room).summary, {
    ...room.terms,
    seated: room.seated,
    waiting: waiting.length,
  });
}

const names = (count: number) => fc.nat(count - 1).map((number) => `person-${number}`);
const step = (count: number): fc.Arbitrary<RoomCommand> =>
  fc.oneof(
    { weight: 12, arbitrary: names(count).map(join) },
    { weight: 8, arbitrary: names(count).map(leave) },
    { weight: 2, arbitrary: fc.constant<RoomCommand>({ type: "tick" }) },
    { weight: 1, arbitrary: fc.constantFrom(endBy("ann"), endBy("carol"), endBy("root", true), create()) },
  );
const terms = fc.record({
  seats: fc.integer({ min: 1, max: 4 }),
  waitlist: fc.boolean(),
  endsAt: fc.option(fc.integer({ min: 1_001, max: 3_000 }).map(millis)),
});
const script = (count: number, length: number) =>
  fc.array(fc.record({ command: step(count), passes: fc.nat(40), save: fc.boolean() }), {
    maxLength: length,
    size: "max",
  });

describe("any commands in any order", () => {
  test("[RM2][RM3][RM4][GM2][GM4][GM8] a room does what the plain model does, step by step", () => {
    fc.assert(
      fc.property(terms, script(7, 80), (agreed, steps) => {
        const stage = new Stage(agreed);
        const model = new Model(create(agreed));
        for (const { command, passes } of steps) {
          stage.at(stage.now + passes);
          const decision = decide(stage.room, command, stage.now);
          const happened = "refusal" in decision ? [decision.refusal.code] : decision.events.map(inWords);
          assert.deepEqual(happened, model.do(command, stage.now));
          if ("events" in decision) stage.do(command);
          assertSame(stage.room!, model);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("[RM1] the terms of a game, its capacity among them, are the same after any commands", () => {
    fc.assert(
      fc.property(terms, script(7, 60), (agreed, steps) => {
        const stage = new Stage(agreed);
        const before = structuredClone(stage.room!.terms);
        for (const { command } of steps)
          if (!("refusal" in decide(stage.room, command, stage.now))) stage.do(command);
        assert.deepEqual(stage.room!.terms, before);
      }),
      { numRuns: 100 },
    );
  });

  test("[RM6] deciding and asking change nothing: only events do", () => {
    fc.assert(
      fc.property(terms, script(5, 40), step(5), (agreed, steps, asked) => {
        const stage = new Stage(agreed);
        for (const { command } of steps)
          if (!("refusal" in decide(stage.room, command, stage.now))) stage.do(command);
        const before = structuredClone(save(stage.room!));
        decide(stage.room, asked, stage.now);
        obstaclesToJoining(stage.room!, person("person-1"));
        placeOf(stage.room!, person("stranger"));
        assert.deepEqual(save(stage.room!), before);
      }),
      { numRuns: 100 },
    );
  });

  test("[LG5] a room restored from what was saved at any point behaves as the one that went on", () => {
    fc.assert(
      fc.property(terms, script(40, 120), (agreed, steps) => {
        const stage = new Stage(agreed);
        const other = new Stage(agreed);
        for (const { command, passes, save: isSaved } of steps) {
          stage.at(stage.now + passes);
          other.at(stage.now);
          if (isSaved) other.room = restore(throughBytes(save(other.room!)));
          const decision = decide(stage.room, command, stage.now);
          assert.deepEqual(decide(other.room, command, stage.now), decision);
          if ("refusal" in decision) continue;
          stage.do(command);
          other.do(command);
          assert.deepEqual(save(other.room!), save(stage.room!));
          assert.deepEqual(other.places, stage.places);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("[LG5] what was saved stays as it is while the room goes on changing", () => {
    fc.assert(
      fc.property(terms, script(40, 120), (agreed, steps) => {
        const stage = new Stage(agreed);
        const saves: { saved: Saved; copy: Saved }[] = [];
        for (const { command, passes, save: isSaved } of steps) {
          stage.at(stage.now + passes);
          if (isSaved) {
            const saved = save(stage.room!);
            saves.push({ saved, copy: structuredClone(saved) });
          }
          if (!("refusal" in decide(stage.room, command, stage.now))) stage.do(command);
        }
        for (const { saved, copy } of saves) assert.deepEqual(saved, copy);
      }),
      { numRuns: 200 },
    );
  });

  test("[LG5] what was saved of a big room stays as it is through growth, leaves and the end", () => {
    const stage = new Stage({ seats: 1_500, waitlist: true });
    for (let number = 0; number < 3_000; number++) stage.do(join(`p${number}`));
    const saved = save(stage.room!);
    const copy = structuredClone(saved);
    const before = { ...stage.room!, places: stage.places };
    for (let number = 0; number < 3_000; number += 3) stage.at(2_000).do(leave(`p${number}`));
    for (let number = 3_000; number < 9_000; number++) stage.do(join(`p${number}`));
    for (let number = 0; number < 3_000; number += 3) stage.do(join(`p${number}`));
    placeOf(stage.room!, person("someone who was never here".replaceAll(" ", "-")));
    stage.do(endBy("carol"));
    assert.deepEqual(saved, copy);
    const room = restore(saved);
    assert.equal(room.seated, before.seated);
    assert.equal(room.endedAt, undefined);
    assert.deepEqual(placesAfter(room, 0, 10_000), before.places);
    assert.equal(positionOf(room, ticket(3_000)), 1_500);
    assert.deepEqual(save(room), copy);
  });
});

/** As the disk has them: heads through JSON, columns in buffers of their own. */
function throughBytes({ head, columns }: Saved): Saved {
  return { head: JSON.parse(JSON.stringify(head)), columns: structuredClone(columns) };
}

test("[RM5] an event of a kind that this server does not know is not skipped", () => {
  const { evolve } = roomDecider;
  const terms = { title: "t", seats: 2, waitlist: false, endsAt: null, creator: "c" } as const;
  const room = evolve(undefined, { type: "created", ...terms }, 1 as Millis);
  const unknown = { type: "renamed", seated: 0, waiting: 0 } as unknown as RoomEvent;
  assert.throws(() => evolve(room, unknown, 2 as Millis), /does not know/);
});
