import assert from "node:assert/strict";
import { test } from "node:test";
import { type ArenaEvent, type ArenaRoom, arenaDecider, type Millis, type PersonId } from "@openseat/kernel";
import { type ArenaStreams, Arenas, newArenaCommand } from "../../src/app/arenas/arenas.ts";
import type { LadderStreams } from "../../src/app/ladders/ladders.ts";
import { freeCreation } from "../support/limits.ts";

const now = 1_700_000_000_000 as Millis;
const ann = { role: "person", by: "ann" } as const;

/** An arena in which Ann has a place that another node decided. */
function roomWithAnn(): ArenaRoom {
  const given = { title: "Noughts and crosses", game: "tic-tac-toe" };
  const join = { type: "join", person: "ann" as PersonId, name: "Ann", lane: 0 } as const;
  return [newArenaCommand(given, "@operator"), join].reduce<ArenaRoom | undefined>((room, command, index) => {
    const decision = arenaDecider.decide(room, command, now);
    assert.ok("events" in decision);
    return decision.events.reduce<ArenaRoom | undefined>(
      (state, event: ArenaEvent) => arenaDecider.evolve(state, event, now, index + 1),
      room,
    );
  }, undefined)!;
}

/** A node that learns of the place only when it reads the log, as after a write by another node. */
class Latecomer {
  /** The tickets of the heartbeats; undefined for a heartbeat without a place. */
  readonly received: (number | undefined)[] = [];
  #room: ArenaRoom | undefined;
  readonly arenas: Arenas;

  constructor() {
    const streams: Pick<ArenaStreams, "noteHeartbeat" | "peek" | "read" | "ask"> = {
      noteHeartbeat: (_, whose) => {
        this.received.push(typeof whose === "function" ? this.#room && whose(this.#room) : whose);
      },
      peek: () => undefined,
      read: async (_, look) => {
        this.#room = roomWithAnn();
        return { value: look(this.#room, 2, 0 as Millis) };
      },
      ask: async () => {
        this.#room = roomWithAnn();
        return { refusal: { code: "place.exists", message: "You are in this arena already." } };
      },
    };
    this.arenas = new Arenas(streams as ArenaStreams, {} as LadderStreams, freeCreation());
  }
}

test("[LS1] [CL3] on a node that learns of a place only while it responds, the request still counts as a heartbeat", async () => {
  const asks: ((arenas: Arenas) => Promise<unknown>)[] = [
    (arenas) => arenas.get(ann, "a"),
    (arenas) => arenas.move(ann, "a", { match: "2", move: "a1" }),
    (arenas) => arenas.resign(ann, "a", { match: "2" }),
  ];
  for (const ask of asks) {
    const { arenas, received } = new Latecomer();
    const answer = ask(arenas);
    assert.deepEqual(received, [undefined], "recorded at once, before anything that waits");
    await answer;
    assert.deepEqual(received, [undefined, 1]);
  }
  const { arenas, received } = new Latecomer();
  await arenas.join(ann, "a");
  assert.equal(received.at(-1), 1);
});

test("[LS1] an anonymous request is no heartbeat", async () => {
  const { arenas, received } = new Latecomer();
  await arenas.get(null, "a");
  await arenas.get({ role: "operator", by: "@operator" }, "a");
  assert.deepEqual(received, []);
});
