import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import type { StreamName } from "../../src/log/log.ts";
import type { Json } from "../support/http.ts";
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

  test("[AD5] every setting can be changed, separately or together, and the others stay", async () => {
    const queue = await desk.newQueue();
    const changes: Json[] = [
      { maxActive: 3 },
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

  test("[AD1] the default burst is one second's worth of the rate, and at least 1", async () => {
    const bursts = { 0.5: 1, 1: 1, 7.5: 8 };
    for (const [rate, burst] of Object.entries(bursts)) {
      const queue = await desk.newQueue({ maxActive: 100, rate: Number(rate) });
      assert.equal((await desk.look(queue)).burst, burst, rate);
      const other = await desk.newQueue({ maxActive: 100 });
      assert.equal((await desk.change(other, { rate: Number(rate) })).body.data.queue.burst, burst, rate);
    }
  });

  test("[AD5] a pause keeps everyone's place and admits nobody; resuming admits those who could have been admitted", async () => {
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
