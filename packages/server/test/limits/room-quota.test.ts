import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Identity } from "../../src/app/identity.ts";
import { type Result, refused } from "../../src/app/result.ts";
import { RoomQuota } from "../../src/app/rooms/room-quota.ts";
import { range } from "../support/http.ts";
import { codeOf, doneOf } from "../support/results.ts";

const ann: Identity = { role: "person", by: "ann" };
const made = (replayed = false): Result<object> => ({ value: {}, replayed });

/** Rooms, counted as in a log. */
class Rooms {
  readonly live = new Map<string, number>();
  counted = 0;
  readonly quota: RoomQuota;

  constructor(roomsPerPersonMax: number) {
    const countLive = async (person: string, limit: number) => {
      this.counted++;
      return Math.min(limit, this.live.get(person) ?? 0);
    };
    this.quota = new RoomQuota({ roomsPerPersonMax, countLive });
  }

  make(identity: Identity, result = made(), rooms = 1, isThere = false): Promise<Result<object>> {
    return this.quota.make({ identity, rooms, isThere: async () => isThere }, async () => {
      await new Promise(setImmediate);
      if ("value" in result && !result.replayed)
        this.live.set(identity.by, (this.live.get(identity.by) ?? 0) + rooms);
      return result;
    });
  }
}

describe("rooms per person", () => {
  test("[LM7] of 200 rooms that a person creates at once, exactly the allowed number are created", async () => {
    const rooms = new Rooms(100);
    const answers = await Promise.all(range(200).map(() => rooms.make(ann)));
    assert.equal(answers.filter((answer) => "value" in answer).length, 100);
    assert.equal(answers.filter((answer) => codeOf(answer) === "limit.rooms").length, 100);
    assert.equal(rooms.live.get("ann"), 100);
    doneOf(await rooms.make({ ...ann, by: "ben" }));
  });

  test("[LM7] a room that ends makes room for another", async () => {
    const rooms = new Rooms(2);
    await Promise.all([rooms.make(ann), rooms.make(ann)]);
    assert.equal(codeOf(await rooms.make(ann)), "limit.rooms");
    rooms.live.set("ann", 1);
    doneOf(await rooms.make(ann));
  });

  test("[LM7] rooms that were not created, or already existed, do not count", async () => {
    const rooms = new Rooms(1);
    const exists = refused({ code: "room.exists", message: "It is there." });
    const again = made(true);
    const [, , third] = await Promise.all([rooms.make(ann, exists), rooms.make(ann, again), rooms.make(ann)]);
    // The earlier requests were still in progress.
    assert.equal(codeOf(third), "limit.rooms");
    doneOf(await rooms.make(ann));
  });

  test("[LM7] [ID1] a repeated request for an existing room is answered at the limit, too", async () => {
    const rooms = new Rooms(1);
    await rooms.make(ann);
    const again = await rooms.make(ann, made(true), 1, true);
    assert.deepEqual(again, made(true));
  });

  test("[LM7] an arena with tiers counts as that many rooms", async () => {
    const rooms = new Rooms(5);
    doneOf(await rooms.make(ann, made(), 3));
    assert.equal(codeOf(await rooms.make(ann, made(), 3)), "limit.rooms");
    doneOf(await rooms.make(ann, made(), 2));
  });

  test("[LM7] services and operators may create any number", async () => {
    const rooms = new Rooms(0);
    for (const role of ["service", "operator"] as const) doneOf(await rooms.make({ role, by: `@${role}` }));
    assert.equal(rooms.counted, 0);
    assert.equal(codeOf(await rooms.make(ann)), "limit.rooms");
  });

  test("[LM7] a failed request takes nothing from the quota", async () => {
    const rooms = new Rooms(1);
    const failing = rooms.quota.make({ identity: ann, rooms: 1, isThere: async () => false }, async () => {
      throw new Error("the disk is full");
    });
    await assert.rejects(failing, /full/);
    doneOf(await rooms.make(ann));
  });
});
