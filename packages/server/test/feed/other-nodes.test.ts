import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Lens } from "../../src/feed/watch.ts";
import { randomOf } from "../chat/telegram-faults.ts";
import { range } from "../support/http.ts";
import { turns } from "../support/test-clock.ts";
import { RemoteRoom } from "./remote-room.ts";
import { numbers, Reader } from "./theatre.ts";

async function elsewhere(entries: number): Promise<RemoteRoom> {
  const room = new RemoteRoom();
  await room.grow(entries);
  return room;
}

const lensOfNothing: Lens = {
  view: async () => undefined,
  change: () => assert.fail("there is nothing to show"),
};

/** A reader that is up to date. */
async function readerAt(room: RemoteRoom, isLive = false): Promise<Reader> {
  const reader = new Reader();
  room.watch(reader, room.head, { isLive });
  await turns();
  return reader;
}

describe("a room that other nodes write to", () => {
  test("[FD1] [CL1] if hints may be lost, versions are checked, and only rooms that have advanced are read", async () => {
    const room = await elsewhere(3);
    const reader = await readerAt(room);
    const { reads } = room.log;
    for (const _ of range(3)) {
      room.hub.catchUpAll();
      await turns();
    }
    assert.deepEqual([room.log.looks, room.log.reads], [3, reads]);
    await room.grow(2);
    room.hub.catchUpAll();
    await turns();
    assert.equal(reader.versions, "4 5");
    room.hub.watch("game/other", { ...lensOfNothing }, new Reader(), { after: 0 });
    room.hub.catchUpAll();
    assert.equal(room.log.looks, 5, "one check for all of them");
  });

  test("[FD2] [CL4] if the check fails, nobody is dropped", async () => {
    const room = await elsewhere(3);
    const reader = await readerAt(room);
    await room.grow(1);
    room.log.down = true;
    room.hub.catchUpAll();
    await turns();
    assert.deepEqual([reader.dropped, room.errors.length], [[], 1]);
    room.log.down = false;
    room.hub.catchUpAll();
    await turns();
    assert.equal(reader.versions, "4");
  });

  test("[FD2] [CL1] a crowd that catches up on the same entries shares one read", async () => {
    const room = await elsewhere(3);
    const readers = await Promise.all(range(500).map(() => readerAt(room)));
    const { reads } = room.log;
    for (const version of [4, 5]) {
      await room.grow(1);
      room.catchUp(version);
      await turns();
    }
    assert.equal(room.log.reads, reads + 2);
    for (const reader of readers) assert.equal(reader.versions, "4 5");
  });
});

/** Publications of a room that advances: each entry at least once, in any order, as a batch or as a hint. */
class News {
  readonly #room: RemoteRoom;
  readonly #random: () => number;
  readonly #untold: { readonly from: number; readonly to: number }[] = [];

  constructor(room: RemoteRoom, random: () => number) {
    this.#room = room;
    this.#random = random;
  }

  async grow(): Promise<void> {
    const from = this.#room.head + 1;
    await this.#room.grow(1 + this.#below(6));
    this.#untold.push({ from, to: this.#room.head });
  }

  /** False once everything has been published. */
  async tell(): Promise<boolean> {
    if (this.#untold.length === 0) return false;
    const [{ from, to }] = this.#untold.splice(this.#below(this.#untold.length), 1);
    const choice = this.#random();
    if (choice < 0.6) await this.#room.publish(Math.max(1, from - this.#below(4)), to);
    else if (choice < 0.9) this.#room.catchUp(to);
    else this.#room.catchUp();
    return true;
  }

  async repeat(): Promise<void> {
    const to = 1 + this.#below(this.#room.head);
    if (this.#random() < 0.5) await this.#room.publish(1 + this.#below(to), to);
    else this.#room.catchUp(to);
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}

for (const isLive of [false, true])
  test(`[FD1] [FD2] [CL1] whatever is published in whichever order, each change comes once${isLive ? ", and the current state last" : ""}`, async () => {
    for (const seed of range(100)) {
      const random = randomOf(seed);
      const room = await elsewhere(3);
      const news = new News(room, random);
      room.weight = random() < 0.5 ? 0 : 60_000;
      room.log.pause = () => turns(Math.floor(random() * 5));
      const readers: { readonly reader: Reader; readonly after: number }[] = [];
      for (const _ of range(60)) {
        if (random() < 0.3) await news.grow();
        if (random() < 0.3) await news.tell();
        if (random() < 0.2) await news.repeat();
        await turns(Math.floor(random() * 3));
        if (random() < 0.2) {
          const after = Math.floor(random() * (room.head + 1));
          const reader = new Reader();
          readers.push({ reader, after });
          room.watch(reader, after, { isLive });
        }
        for (const { reader } of readers) {
          if (random() < 0.1) reader.isSlow = true;
          else if (random() < 0.3) reader.drain();
        }
        if (random() < 0.2) await room.clock.advance(50);
      }
      for (const { reader } of readers) reader.drain();
      while (await news.tell()) await turns(Math.floor(random() * 2));
      await room.clock.advance(200);
      await turns(60);
      for (const { reader, after } of readers) {
        const about = `seed ${seed}, after ${after}: ${reader.versions}`;
        const changes = reader.got.filter(({ type }) => type === "change").map(({ version }) => version);
        assert.equal(changes.join(" "), numbers(after + 1, room.head), about);
        assertViewsTakeNothingBack(reader, after, about);
        if (isLive) assert.equal(reader.got.at(-1)!.json.trim(), `state ${room.head}`, about);
      }
    }
  });

/** A view contains what was shown before it. */
function assertViewsTakeNothingBack(reader: Reader, after: number, about: string): void {
  let told = after;
  for (const { type, version } of reader.got) {
    if (type === "change") told = version;
    else assert.equal(version, told, about);
  }
}
