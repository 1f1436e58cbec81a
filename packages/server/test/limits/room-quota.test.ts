import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Identity } from "../../src/app/identity.ts";
import { RoomQuota } from "../../src/app/rooms/room-quota.ts";
import { type Answer, failure, success } from "../../src/transport/http/envelope.ts";
import { range } from "../support/http.ts";

const ann: Identity = { role: "person", by: "ann" };
const made = () => success(201, "It is open.", {});
const code = ({ body }: Answer) => (body as { code?: string }).code;

/** Rooms as a log would count them. */
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

  make(identity: Identity, answer = made(), rooms = 1, isThere = false): Promise<Answer> {
    return this.quota.make({ identity, rooms, isThere: async () => isThere }, async () => {
      await new Promise(setImmediate);
      if (answer.status === 201 && !answer.replayed)
        this.live.set(identity.by, (this.live.get(identity.by) ?? 0) + rooms);
      return answer;
    });
  }
}

describe("rooms per person", () => {
  test("[LM7] of 200 that a person makes at once, exactly as many are made as they may have", async () => {
    const rooms = new Rooms(100);
    const answers = await Promise.all(range(200).map(() => rooms.make(ann)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 100);
    assert.equal(answers.filter((answer) => code(answer) === "limit.rooms").length, 100);
    assert.equal(rooms.live.get("ann"), 100);
    assert.equal((await rooms.make({ ...ann, by: "ben" })).status, 201);
  });

  test("[LM7] a room that ends makes room for another", async () => {
    const rooms = new Rooms(2);
    await Promise.all([rooms.make(ann), rooms.make(ann)]);
    const refused = await rooms.make(ann);
    assert.deepEqual([refused.status, code(refused)], [429, "limit.rooms"]);
    rooms.live.set("ann", 1);
    assert.equal((await rooms.make(ann)).status, 201);
  });

  test("[LM7] rooms that were not made, or had been before, do not count", async () => {
    const rooms = new Rooms(1);
    const exists = failure({ code: "room.exists", message: "It is there." });
    const again = success(201, "It is open.", {}, true);
    const [, , third] = await Promise.all([rooms.make(ann, exists), rooms.make(ann, again), rooms.make(ann)]);
    // Those before it were still under way.
    assert.equal(code(third), "limit.rooms");
    assert.equal((await rooms.make(ann)).status, 201);
  });

  test("[LM7] [ID1] a repeated request for a room that is there is answered at the limit, too", async () => {
    const rooms = new Rooms(1);
    await rooms.make(ann);
    const again = await rooms.make(ann, success(201, "It is open.", {}, true), 1, true);
    assert.deepEqual([again.status, again.replayed], [201, true]);
  });

  test("[LM7] an arena in tiers counts as so many rooms", async () => {
    const rooms = new Rooms(5);
    assert.equal((await rooms.make(ann, made(), 3)).status, 201);
    assert.equal(code(await rooms.make(ann, made(), 3)), "limit.rooms");
    assert.equal((await rooms.make(ann, made(), 2)).status, 201);
  });

  test("[LM7] services and operators may make any number", async () => {
    const rooms = new Rooms(0);
    for (const role of ["service", "operator"] as const)
      assert.equal((await rooms.make({ role, by: `@${role}` })).status, 201);
    assert.equal(rooms.counted, 0);
    assert.equal(code(await rooms.make(ann)), "limit.rooms");
  });

  test("[LM7] a request that fails leaves nothing taken", async () => {
    const rooms = new Rooms(1);
    const failing = rooms.quota.make({ identity: ann, rooms: 1, isThere: async () => false }, async () => {
      throw new Error("the disk is full");
    });
    await assert.rejects(failing, /full/);
    assert.equal((await rooms.make(ann)).status, 201);
  });
});
