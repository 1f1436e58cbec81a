import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  obstaclesToJoining,
  placeOf,
  placesAfter,
  positionOf,
  presentAfter,
  roomLimits,
  type Saved,
  statusOf,
} from "@openseat/kernel";
import fc from "fast-check";
import {
  type Create,
  create,
  endBy,
  expire,
  join,
  leave,
  millis,
  person,
  remove,
  Stage,
  ticket,
} from "./room-stage.ts";

const { decide, nextDue, listing, save, restore } = gameDecider;

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
  do(command: GameCommand, now: number): string[] {
    if (command.type === "tick") {
      if (this.endedAt !== undefined || this.endsAt === null || this.endsAt > now) return [];
      return this.#end(now);
    }
    if (command.type === "end") {
      if (!command.asOperator && command.by !== "carol") return ["auth.forbidden"];
      return this.endedAt === undefined ? this.#end(now) : ["room.ended"];
    }
    if (command.type === "create") return ["room.exists"];
    if (command.type === "remove" && !command.asOperator && command.by !== "carol") return ["auth.forbidden"];
    if (this.endedAt !== undefined) return ["room.ended"];
    if (command.type === "expire") {
      const gone = command.tickets.map((number) => this.places[number - 1]);
      const happened = gone.map(({ person }) => `left heartbeat_timeout ${person}`);
      for (const place of gone) Object.assign(place, { state: "expired", changedAt: now });
      return [...happened, ...this.#admit(now)];
    }
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
    const own = place.state === "waiting" ? "cancelled" : "left";
    const happened = [`left ${command.type === "remove" ? "removed" : own} ${person}`];
    Object.assign(place, { state: "left", changedAt: now });
    return [...happened, ...this.#admit(now)];
  }

  #admit(now: number): string[] {
    const free = this.seats - this.in("active").length;
    return this.in("waiting")
      .slice(0, free)
      .map((next) => {
        Object.assign(next, { state: "active", changedAt: now });
        return `admitted ${next.person}`;
      });
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

function inWords(event: GameEvent): string {
  if (event.type === "joined") return `joined ${event.place} ${event.person}`;
  if (event.type === "left") return `left ${event.reason} ${event.person}`;
  return event.type === "admitted" ? `admitted ${event.person}` : event.type;
}

function assertSame(room: GameRoom, model: Model): void {
  const places = placesAfter(room, 0, 1_000_000);
  assert.deepEqual(
    places,
    model.places.map((place, index) => ({ ...place, ticket: index + 1 })),
  );
  assert.equal(statusOf(room), model.status);
  for (const place of places) assert.equal(room.names.of(place.ticket), nameOf(place.person));
  const present = places.filter(({ state }) => state === "active" || state === "waiting");
  assert.deepEqual(presentAfter(room, 0, 1_000), present);
  if (present.length > 0) assert.deepEqual(presentAfter(room, present[0].ticket, 2), present.slice(1, 3));
  const waiting = places.filter(({ state }) => state === "waiting");
  assert.equal(room.line.length, waiting.length);
  waiting.forEach((place, index) => {
    assert.equal(positionOf(room, place.ticket), index + 1);
  });
  if (model.endedAt === undefined) {
    assert.equal(room.seated, model.in("active").length);
    // LM7: what nobody has used is over after a week.
    const unused = model.places.length === 0 ? [room.terms.createdAt + roomLimits.unusedMsMax] : [];
    const times = [...unused, ...(model.endsAt === null ? [] : [model.endsAt])];
    assert.equal(nextDue(room), times.length === 0 ? undefined : Math.min(...times));
  }
  assert.ok(room.seated <= model.seats);
  assert.deepEqual(listing(room).summary, {
    ...room.terms,
    seated: room.seated,
    waiting: waiting.length,
  });
}

/** Of any characters, and not of every person. */
function nameOf(name: string): string {
  return name === "person-0" ? "" : `${name} \u{1f332} Zoë`;
}

/** Of these tickets, those that are live: the host speaks of no others. Undefined when there are none. */
function asHostSays(command: GameCommand, room: GameRoom): GameCommand | undefined {
  if (command.type !== "expire") return command;
  const live = new Set(presentAfter(room, 0, 1_000).map((place) => place.ticket));
  const tickets = command.tickets.filter((number) => live.has(number));
  return tickets.length > 0 ? { type: "expire", tickets } : undefined;
}

const names = (count: number) => fc.nat(count - 1).map((number) => `person-${number}`);
const step = (count: number): fc.Arbitrary<GameCommand> =>
  fc.oneof(
    { weight: 12, arbitrary: names(count).map((name) => ({ ...join(name), name: nameOf(name) })) },
    { weight: 8, arbitrary: names(count).map(leave) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(names(count), fc.constantFrom("ann", "carol"))
        .map(([name, by]) => remove(name, by)),
    },
    // Whose places they are is put in when it is decided: only of live ones the host says that they were silent.
    { weight: 2, arbitrary: fc.subarray([1, 2, 3, 4, 5, 6]).map((numbers) => expire(...numbers)) },
    { weight: 2, arbitrary: fc.constant<GameCommand>({ type: "tick" }) },
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
        for (const { command: said, passes } of steps) {
          stage.at(stage.now + passes);
          const command = asHostSays(said, stage.room!);
          if (!command) continue;
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
        for (const { command } of steps) stage.doIfPossible(asHostSays(command, stage.room!));
        assert.deepEqual(stage.room!.terms, before);
      }),
      { numRuns: 100 },
    );
  });

  test("[RM6] deciding and asking change nothing: only events do", () => {
    fc.assert(
      fc.property(terms, script(5, 40), step(5), (agreed, steps, asked) => {
        const stage = new Stage(agreed);
        for (const { command } of steps) stage.doIfPossible(asHostSays(command, stage.room!));
        const before = structuredClone(save(stage.room!));
        const command = asHostSays(asked, stage.room!);
        if (command) decide(stage.room, command, stage.now);
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
        for (const { command: said, passes, save: isSaved } of steps) {
          stage.at(stage.now + passes);
          other.at(stage.now);
          if (isSaved) other.room = restore(throughBytes(save(other.room!)));
          const command = asHostSays(said, stage.room!);
          if (!command) continue;
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
          stage.doIfPossible(asHostSays(command, stage.room!));
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
