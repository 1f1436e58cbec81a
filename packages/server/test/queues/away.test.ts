import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { QueueEvent } from "@openseat/kernel";
import { decodeEntry } from "../../src/log/entry.ts";
import type { Json } from "../support/http.ts";
import { answered } from "../support/test-clock.ts";
import { person, WaitingStage } from "./waiting-stage.ts";

/** With the default lease, people are asked to poll at least every 24 seconds. */
const awayAfterMs = 36_000;
const lease = { heartbeatTimeoutSeconds: 60, claimTimeoutSeconds: 3_600 };

/** An admitted person, and a line behind. */
class Line {
  stage = new WaitingStage();
  readonly ids = new Map<string, string>();
  queue = "";

  static async of(names: readonly string[], fields: object = {}): Promise<Line> {
    const line = new Line();
    line.queue = await line.stage.opened({ ...lease, ...fields });
    for (const name of ["inside", ...names]) {
      const { position } = await line.stage.good(line.stage.enter(line.queue, name));
      line.ids.set(name, position.id);
    }
    return line;
  }

  async position(name: string): Promise<Json> {
    const { positions } = this.stage.rooms;
    return (await this.stage.good(positions.get(person(name), this.ids.get(name)!))).position;
  }

  leave(name: string): Promise<Json> {
    return this.stage.good(this.stage.rooms.positions.leave(person(name), this.ids.get(name)!));
  }

  /** Time passes while these people request their position every few seconds. */
  async pass(ms: number, names: readonly string[]): Promise<void> {
    for (let left = ms; left > 0; left -= 4_000) {
      await this.stage.clock.advance(Math.min(left, 4_000));
      for (const name of names) await this.position(name);
    }
  }

  /** The whole log, in words. */
  async told(): Promise<string[]> {
    const batches = await answered(this.stage.log.read(`queue/${this.queue}`, 0, 1_000_000));
    const entries = batches.flatMap(({ lines }) => lines.map((text) => decodeEntry<QueueEvent>(text)));
    return entries.flatMap(({ events }) =>
      events.map((event) => {
        const tickets =
          "tickets" in event ? event.tickets.join() : "ticket" in event ? `${event.ticket}` : "";
        return `${event.type} ${tickets}`.trim();
      }),
    );
  }

  async stats(): Promise<Json> {
    return (await this.stage.good(this.stage.rooms.queues.stats(this.queue))).stats;
  }
}

suite("people in a waiting room who are away", () => {
  test("[LN11] [LN12] [AD4] do not block the next person: a free seat goes to the first who is present", async () => {
    const line = await Line.of(["gone", "there"]);
    await line.pass(1.5 * awayAfterMs, ["there"]);
    assert.deepEqual((await line.told()).slice(-1), ["away 2"]);
    assert.equal((await line.stats()).away, 1);
    assert.equal((await line.position("there")).position, 2, "[LN6] who is away still counts");
    await line.leave("inside");
    assert.equal((await line.position("there")).status, "ADMITTED");
    await line.stage.stop();
  });

  test("[LN11] [LS3] a heartbeat writes nothing; the first after an absence does", async () => {
    const line = await Line.of(["ann", "bob"]);
    const before = (await line.told()).length;
    await line.pass(2 * awayAfterMs, ["ann", "bob"]);
    assert.equal((await line.told()).length, before);
    await line.pass(1.5 * awayAfterMs, ["bob"]);
    await line.position("ann");
    await line.position("ann");
    assert.deepEqual((await line.told()).slice(before), ["away 2", "back 2"]);
    await line.stage.stop();
  });

  test("[LN12] a person who returns is told that they were away, keeps the place, and takes the next seat", async () => {
    const line = await Line.of(["ann", "bob", "cid"]);
    await line.pass(1.5 * awayAfterMs, ["bob", "cid"]);
    await line.leave("inside");
    assert.equal((await line.position("bob")).status, "ADMITTED");
    const [first, second] = [await line.position("ann"), await line.position("ann")];
    assert.deepEqual([first.away, first.position, second.away, second.position], [true, 1, false, 1]);
    await line.leave("bob");
    assert.equal((await line.position("ann")).status, "ADMITTED");
    assert.equal((await line.position("cid")).position, 1);
    await line.stage.stop();
  });

  test("[LN11] a live connection is never away, and a new one ends an absence at once", async () => {
    const line = await Line.of(["ann", "bob"]);
    const streams = line.stage.host.streams("queue");
    const held = streams.hold(line.queue, 2 as never);
    await line.pass(2 * awayAfterMs, ["bob"]);
    assert.equal((await line.stats()).away, 0);
    held.release();
    await line.pass(1.5 * awayAfterMs, ["bob"]);
    assert.equal((await line.stats()).away, 1);
    const again = streams.hold(line.queue, 2 as never);
    await line.stage.clock.advance(1);
    assert.deepEqual((await line.told()).slice(-2), ["away 2", "back 2"]);
    again.release();
    await line.stage.stop();
  });

  test("[LN11] an absence ends with the first request after a restart, although the room was not in memory yet", async () => {
    const line = await Line.of(["ann", "bob"]);
    await line.pass(1.5 * awayAfterMs, ["bob"]);
    line.stage = await line.stage.restarted();
    assert.equal((await line.position("ann")).away, true);
    assert.deepEqual((await line.told()).slice(-2), ["away 2", "back 2"]);
    await line.stage.stop();
  });
});
