import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import type { StreamName } from "../../src/log/log.ts";
import { eachOf, type Json, range } from "../support/http.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { clockSlackMs, openLogOf } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

suite("what operators change while a waiting room runs", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  async function statusesIn(queue: string, people: number): Promise<string> {
    const entered = await Promise.all(range(people).map((index) => desk.enter(queue, `p${index}`)));
    return entered.map(({ body }) => body.data.position.status).join(" ");
  }

  test("[AD5] every setting can be changed, one by one or together, and the others stay", async () => {
    const queue = await desk.newQueue();
    const changes: Json[] = [
      { title: "Another" },
      { maxActive: 3 },
      { rate: 0.001 },
      { rate: 7.5 },
      { rate: 1_000_000, burst: 1_000_000 },
      { rate: null },
      { maxWaiting: 1 },
      { patienceSeconds: 86_400 },
      { heartbeatTimeoutSeconds: 3_600 },
      { claimTimeoutSeconds: 5 },
      { sessionDurationSeconds: 86_400 },
      { sessionTimeoutSeconds: 5 },
      { sessionTimeoutSeconds: null },
      { returnAddresses: ["https://shop.example"] },
      { returnAddresses: [], title: "A third", maxActive: 1 },
    ];
    let expected = await desk.look(queue);
    for (const change of changes) {
      const answer = await desk.change(queue, change);
      const usual = typeof change.rate === "number" ? { burst: Math.ceil(change.rate) } : {};
      expected = { ...expected, ...usual, ...change };
      assert.deepEqual([answer.status, answer.body.data.queue], [200, expected], JSON.stringify(change));
      assert.deepEqual(await desk.look(queue), expected);
    }
  });

  test("[AD5] more seats: the front is let in by that very change, and the answer counts it", async () => {
    const { queue } = await desk.fullQueue();
    const places: Json[] = [];
    for (const index of range(5)) places.push(await desk.entered(queue, `p${index}`));
    const before = await desk.entries();
    const raised = await desk.change(queue, { maxActive: 4 });
    const { waiting, admitted, active } = raised.body.data.queue;
    assert.deepEqual([waiting, admitted, active], [2, 3, 1]);
    assert.equal(await desk.entries(), before + 1, "one entry holds the change and the admissions");
    for (const [index, { id }] of places.entries())
      assert.equal((await desk.shown(id, `p${index}`)).status, index < 3 ? "ADMITTED" : "WAITING");
  });

  test("[RM1] [AD5] fewer seats send nobody away; nobody is let in until enough have gone", async () => {
    const queue = await desk.newQueue({ maxActive: 3 });
    const insiders: Json[] = [];
    for (const index of range(3)) {
      const { token } = await desk.entered(queue, `in${index}`);
      insiders.push(await desk.claimed(token, `in${index}`));
    }
    const ann = await desk.entered(queue, "ann");
    const lowered = await desk.change(queue, { maxActive: 1 });
    assert.deepEqual([lowered.body.data.queue.maxActive, lowered.body.data.queue.active], [1, 3]);
    for (const index of [0, 1]) {
      await desk.complete(insiders[index].id, tokenOf(`in${index}`));
      assert.equal((await desk.shown(ann.id, "ann")).status, "WAITING");
    }
    await desk.complete(insiders[2].id, tokenOf("in2"));
    assert.equal((await desk.shown(ann.id, "ann")).status, "ADMITTED");
  });

  test("[AD1] by default the burst is a second's worth of the rate, and 1 at least", async () => {
    const bursts = { 0.001: 1, 0.5: 1, 1: 1, 1.5: 2, 2: 2, 7.5: 8 };
    for (const [rate, burst] of Object.entries(bursts)) {
      const queue = await desk.newQueue({ maxActive: 100, rate: Number(rate) });
      assert.equal((await desk.look(queue)).burst, burst, rate);
      const other = await desk.newQueue({ maxActive: 100 });
      assert.equal((await desk.change(other, { rate: Number(rate) })).body.data.queue.burst, burst, rate);
    }
    const slow = await desk.newQueue({ maxActive: 100, rate: 0.001 });
    const statuses = await eachOf(
      range(3),
      1,
      async (index) => (await desk.entered(slow, `p${index}`)).status,
    );
    assert.deepEqual(statuses, ["ADMITTED", "WAITING", "WAITING"]);
  });

  test("[AD1] [AD3] a rate lets in its burst and no more, with seats free; without a rate the seats alone count", async () => {
    // One in a thousand seconds: within this test no other token comes.
    const queue = await desk.newQueue({ maxActive: 100, rate: 0.001, burst: 3 });
    assert.equal(await statusesIn(queue, 6), "ADMITTED ADMITTED ADMITTED WAITING WAITING WAITING");
    const widened = await desk.change(queue, { rate: null });
    assert.deepEqual([widened.body.data.queue.waiting, widened.body.data.queue.admitted], [0, 6]);
  });

  test("[AD2] a change of the rate hands out no token that was spent", async () => {
    const queue = await desk.newQueue({ maxActive: 100, rate: 0.001, burst: 1 });
    assert.equal(await statusesIn(queue, 3), "ADMITTED WAITING WAITING");
    for (const change of [{ rate: 0.002 }, { burst: 50 }, { burst: 1 }, { title: "Still" }]) {
      const { waiting, admitted } = (await desk.change(queue, change)).body.data.queue;
      assert.deepEqual([waiting, admitted], [2, 1], JSON.stringify(change));
    }
  });

  test("[AD5] a pause keeps everyone's place and lets nobody in; resuming lets in who could have been", async () => {
    const queue = await desk.newQueue({ maxActive: 3 });
    const paused = await desk.pause(queue);
    assert.deepEqual([paused.status, paused.body.data.queue.status], [200, "PAUSED"]);
    const ann = await desk.entered(queue, "ann");
    const bob = await desk.entered(queue, "bob");
    assert.deepEqual([ann.status, ann.position, ann.estimate], ["WAITING", 1, null]);
    assert.deepEqual([bob.status, bob.position, bob.estimate], ["WAITING", 2, null]);
    assert.equal((await desk.change(queue, { maxActive: 10 })).body.data.queue.admitted, 0);
    const again = await desk.pause(queue);
    assert.deepEqual([again.status, again.body.data.queue.status], [200, "PAUSED"]);
    const resumed = await desk.resume(queue);
    const { status, waiting, admitted } = resumed.body.data.queue;
    assert.deepEqual([resumed.status, status, waiting, admitted], [200, "OPEN", 0, 2]);
    const twice = await desk.resume(queue);
    assert.deepEqual([twice.status, twice.body.data.queue], [200, resumed.body.data.queue]);
    assert.equal((await desk.shown(ann.id, "ann")).status, "ADMITTED");
  });

  test("[AD5] whoever was let in before a pause still comes in, and goes out", async () => {
    const queue = await desk.newQueue({ maxActive: 1 });
    const ann = await desk.entered(queue, "ann");
    const bob = await desk.entered(queue, "bob");
    await desk.pause(queue);
    const session = await desk.claimed(ann.token, "ann");
    assert.equal((await desk.complete(session.id, tokenOf("ann"))).status, 200);
    assert.equal((await desk.shown(bob.id, "bob")).status, "WAITING");
    await desk.resume(queue);
    assert.equal((await desk.shown(bob.id, "bob")).status, "ADMITTED");
  });

  test("[AD5] [RM5] every change and every move is in the log, with its time, its author and its reason", async () => {
    const folder = tempFolder();
    const own = await startServer(issuerFlags, { path: folder.path, remove() {} });
    const there = new Desk(own);
    const started = Date.now();
    const queue = await there.newQueue({ id: "logged" });
    const ann = await there.entered(queue, "ann");
    const bob = await there.entered(queue, "bob");
    await there.change(queue, { maxActive: 2 });
    const session = await there.claimed(ann.token, "ann");
    await there.pause(queue);
    await there.complete(session.id, tokenOf("ann"));
    await there.entered(queue, "cleo");
    await there.cancel((await there.enter(queue, "cleo")).body.data.position.id, "cleo");
    await there.cancel(bob.id, "bob");
    await there.resume(queue);
    const dan = await there.entered(queue, "dan");
    await there.terminate((await there.claimed(dan.token, "dan")).id, there.serviceKey);
    await own.stop();
    const entries = await entriesIn(own.folder, `queue/${queue}`);
    folder.remove();
    const told = entries.map(({ by, events }) => {
      const words = events.map((event: Json) => [event.type, event.reason].filter(Boolean).join(":"));
      return `${by} ${words.join(" ")}`;
    });
    assert.deepEqual(told, [
      "@operator created",
      "ann entered admitted",
      "bob entered",
      "@operator configured admitted",
      "ann claimed",
      "@operator configured",
      "ann completed",
      "cleo entered",
      "cleo left:cancelled",
      "bob left:left",
      "@operator configured",
      "dan entered admitted",
      "dan claimed",
      "@service expired:terminated",
    ]);
    for (const { at } of entries) assert.ok(at >= started - clockSlackMs && at <= Date.now());
    const [changed] = entries[3].events as Json[];
    assert.deepEqual([changed.settings.seats, changed.paused], [2, false]);
  });
});

async function entriesIn(folder: string, stream: StreamName): Promise<Entry[]> {
  const log = await openLogOf(folder);
  const batches = await log.read(stream, 0, 1_000);
  await log.close();
  return batches.flatMap(({ lines }) => lines.map((line) => decodeEntry(line)));
}
