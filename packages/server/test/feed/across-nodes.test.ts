import assert from "node:assert/strict";
import { test } from "node:test";
import { Hub } from "../../src/feed/hub.ts";
import type { FeedMessage, Lens } from "../../src/feed/watch.ts";
import { randomOf } from "../chat/telegram-faults.ts";
import { Nodes, type OneNode } from "../host/nodes.ts";
import { range } from "../support/http.ts";
import { answered, turns } from "../support/test-clock.ts";
import { numbers, Reader } from "./theatre.ts";

const idleMs = 2_000;

/** One of several nodes, with its watchers. */
class Stand {
  readonly node: OneNode;
  readonly hub: Hub;
  readonly readers: { readonly reader: Reader; readonly after: number }[] = [];

  private constructor(node: OneNode, hub: Hub) {
    this.node = node;
    this.hub = hub;
  }

  static async open(nodes: Nodes, name: string): Promise<Stand> {
    const hub = new Hub(nodes.cluster.node(name), nodes.clock);
    const node = await nodes.start({
      idleMs,
      onCommit: (committed) => hub.publish(committed),
      onDoubt: (stream, version) => (stream === undefined ? hub.catchUpAll() : hub.catchUp(stream, version)),
      isWatched: (stream) => hub.has(stream),
    });
    return new Stand(node, hub);
  }

  watch(after: number, isLive: boolean): void {
    const reader = new Reader();
    this.readers.push({ reader, after });
    this.hub.watch("game/g", isLive ? this.#liveLens() : this.#lens(), reader, { after });
  }

  #message(type: FeedMessage["type"], version: number, state = ""): FeedMessage {
    return { type, version, json: state };
  }

  #lens(): Lens {
    return {
      view: async () => {
        const found = await this.node.games.read("g", (room, version) => ({ seated: room!.seated, version }));
        assert.ok("value" in found);
        return this.#message("view", found.value.version, `${found.value.seated} sit`);
      },
      change: ({ version }) => this.#message("change", version),
    };
  }

  #liveLens(): Lens {
    return {
      ...this.#lens(),
      live: (entries, state) => () =>
        entries.map(({ version }, index) => {
          const isLast = index === entries.length - 1;
          return this.#message(
            "change",
            version,
            isLast ? `${(state as { seated: number }).seated} sit` : "",
          );
        }),
    };
  }
}

for (const isLive of [false, true])
  test(`[FD1] [CL1] [CL2] whichever node writes and whichever one is watched, each change is shown once and in order${isLive ? ", with the current state" : ""}`, async () => {
    for (const seed of range(15)) {
      const random = randomOf(seed);
      const nodes = new Nodes();
      const stands: Stand[] = [];
      for (const index of range(3)) stands.push(await Stand.open(nodes, `node-${index + 1}`));
      const anyOf = () => stands[Math.floor(random() * stands.length)];
      await anyOf().node.create("g", { seats: 10_000 });
      let joined = 0;
      for (const _ of range(40)) {
        // One entry created the game, and one per join.
        const head = joined + 1;
        const asks = range(Math.floor(random() * 6)).map(() => anyOf().node.join("g", `p${++joined}`));
        if (random() < 0.3) anyOf().watch(Math.floor(random() * (head + 1)), isLive);
        await turns(Math.floor(random() * 4));
        if (random() < 0.15) await nodes.clock.advance(random() * 2 * idleMs);
        for (const outcome of await answered(Promise.all(asks))) assert.ok("entry" in outcome);
      }
      await turns(60);
      for (const { readers, node } of stands) {
        for (const { reader, after } of readers) {
          const about = `seed ${seed}, after ${after}, on ${node.name}: ${reader.versions}`;
          const changes = reader.got.filter(({ type }) => type === "change").map(({ version }) => version);
          assert.equal(changes.join(" "), numbers(after + 1, joined + 1), about);
          if (isLive) assert.equal(reader.got.at(-1)!.json, `${joined} sit`, about);
        }
        assert.deepEqual(node.errors, []);
      }
      for (const { node } of stands) await node.stop();
    }
  });
