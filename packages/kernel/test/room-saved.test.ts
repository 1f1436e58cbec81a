import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type GameCommand,
  type GameRoom,
  gameDecider,
  obstaclesToJoining,
  placeOf,
  placesAfter,
  positionOf,
  presentAfter,
  type Saved,
} from "@openseat/kernel";
import fc from "fast-check";
import { create, endBy, expire, join, leave, millis, person, remove, Stage, ticket } from "./room-stage.ts";

const { decide } = gameDecider;
const { save, restore } = gameDecider.snapshots;

/** Names have any characters, and one person has none. */
function nameOf(name: string): string {
  return name === "person-0" ? "" : `${name} \u{1f332} Zoë`;
}

/** Only the live tickets, because the host reports no others; undefined if there are none. */
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
    // Replaced when the step is decided: the host reports only live places as silent.
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

  test("[LG5][RM1] a room restored from what was saved at any point behaves as the one that went on, by the same terms", () => {
    fc.assert(
      fc.property(terms, script(40, 120), (agreed, steps) => {
        const stage = new Stage(agreed);
        const other = new Stage(agreed);
        const terms = structuredClone(stage.room!.terms);
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
          assert.deepEqual(stage.room!.terms, terms);
        }
      }),
      { numRuns: 100 },
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
      { numRuns: 100 },
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

/** As stored on disk: heads through JSON, columns in their own buffers. */
function throughBytes({ head, columns }: Saved): Saved {
  return { head: JSON.parse(JSON.stringify(head)), columns: structuredClone(columns) };
}
