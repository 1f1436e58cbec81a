import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type pg from "pg";
import { type Log, LogUnavailable, LogUnusable } from "../../src/log/log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import type { StreamAdvanced } from "../../src/log/sharing.ts";
import { testsNeeding } from "../support/needs.ts";
import { connectTo, freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { sharingOf } from "../support/sharing-of.ts";
import { until } from "../support/test-clock.ts";
import { appendTo, assertWhole, fill, linesOf } from "./contract.ts";
import { Replica } from "./replica.ts";
import { type Nodes, testHintContract, testTurnContract, withNodes } from "./sharing-contract.ts";
import type { Freezing } from "./sharing-frozen.ts";
import { testHeartbeatContract } from "./sharing-heartbeats-contract.ts";

const { describe, test } = testsNeeding(missingPostgres);

interface PostgresNodes extends Nodes {
  readonly url: string;
  run(text: string): Promise<pg.QueryResult>;
}

/** A relay to the database that can be cut for one node alone. */
async function wayTo(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one.setNoDelay());
      one.pipe(other);
      one.on("error", () => {}).on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const close = () => {
    server.close();
    cut();
  };
  return { url: way.href, cut, close };
}

async function onPostgres(): Promise<PostgresNodes> {
  const { url, drop } = await freshDatabase();
  // Not a pool: its end() does not wait for connections to close, and dropping the database would break them.
  const admin = await connectTo(url);
  const logs: Log[] = [];
  const ways = new Map<string, Awaited<ReturnType<typeof wayTo>>>();
  return {
    url,
    run: (text) => admin.query(text),
    async start(name) {
      const way = await wayTo(url);
      ways.set(name, way);
      const log = await PostgresLog.open(way.url, { node: name });
      logs.push(log);
      return log;
    },
    cut: async (name) => ways.get(name)!.cut(),
    async pass(ms) {
      // The test cannot set the database's clock, so it makes the recorded times older instead.
      await admin.query(`
        UPDATE openseat.nodes SET beaten_at = beaten_at - ${ms};
        UPDATE openseat.service SET beaten_at = beaten_at - ${ms}, served_since = served_since - ${ms},
          caretaker_until = caretaker_until - ${ms}`);
    },
    async dispose() {
      for (const log of logs) await log.close();
      for (const way of ways.values()) way.close();
      await admin.end();
      await drop();
    },
  };
}

testTurnContract("PostgreSQL", onPostgres, missingPostgres);
testHintContract("PostgreSQL", onPostgres, missingPostgres);
testHeartbeatContract("PostgreSQL", onPostgres, missingPostgres);

describe("nodes on PostgreSQL", () => {
  // A large write to a closed connection fails before the last answer is read.
  for (const [size, length] of Object.entries({ little: 0, much: 8_000_000 })) {
    test(
      `[CL2] a node that stalls during its commit, with ${size} to write, loses it: others continue, and nothing of it is written`,
      withNodes(onPostgres, async ({ url }, bob) => {
        await fill(bob, "game/a", [1]);
        const state = new Int32Array(new SharedArrayBuffer(4));
        const frozen: Freezing = { url, stream: "game/a", state, length };
        const worker = new Worker(new URL("sharing-frozen.ts", import.meta.url), { workerData: frozen });
        const said = new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
        await until(() => Atomics.load(state, 0) === 1, "it stands still");
        assert.equal(await new Replica(bob, "game/a").add("meanwhile"), "committed");
        Atomics.store(state, 0, 2);
        Atomics.notify(state, 0);
        assert.deepEqual(await said, ["conflict", "committed"]);
        assert.equal(await assertWhole(bob, "game/a"), 3);
        const texts = (await linesOf(bob, "game/a")).map((line) => JSON.parse(line).events[0].text);
        assert.deepEqual(texts.slice(1), ["meanwhile 2", "thawed 3"]);
      }),
    );
  }

  test(
    "[CL4] a commit that cannot lock its stream times out, and nothing was decided",
    withNodes(onPostgres, async ({ url }, ann) => {
      await fill(ann, "game/a", [1]);
      const stranger = await connectTo(url);
      await stranger.query("BEGIN; SELECT FROM openseat.streams FOR UPDATE");
      const replica = new Replica(ann, "game/a");
      const decided = () => assert.fail("it has decided");
      await assert.rejects(ann.commit([replica.wanted], decided), LogUnavailable);
      await stranger.end();
      assert.equal(await replica.add("after"), "committed");
    }),
  );

  test(
    "[LG1] entries that are there already are never written over",
    withNodes(onPostgres, async ({ run }, ann) => {
      const [first] = await fill(ann, "game/a", [1]);
      await run(`INSERT INTO openseat.batches (stream, first, count, lines, hash)
        SELECT number, 2, 1, '{}', '' FROM openseat.streams`);
      const turn = ann.commit([{ stream: "game/a", after: 1, hash: first.hash }], () => [
        appendTo("game/a", 1, first.hash),
      ]);
      await assert.rejects(turn, LogUnavailable);
      assert.deepEqual(await ann.head("game/a"), { version: 1, hash: first.hash });
    }),
  );

  test(
    "[LG1] a commit that the database refuses was not written; it conflicts if deciding again can help, otherwise it fails",
    withNodes(onPostgres, async ({ run }, ann) => {
      const refuseWith = (code: string) =>
        run(`
          CREATE OR REPLACE FUNCTION openseat.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$;
          DROP TRIGGER IF EXISTS refuse ON openseat.batches;
          CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON openseat.batches
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION openseat.refuse()`);
      const replica = new Replica(ann, "game/a");
      for (const passing of ["40001", "40P01", "55P03"]) {
        await refuseWith(passing);
        assert.equal(await replica.add("not yet"), "conflict");
      }
      await refuseWith("23514");
      await assert.rejects(replica.add("never"), LogUnavailable);
      assert.equal(await ann.head("game/a"), undefined);
      await run("DROP TRIGGER refuse ON openseat.batches");
      assert.equal(await replica.add("now"), "committed");
    }),
  );

  test(
    "[LG2] the duration of a commit that writes is reported, and not that of an empty one",
    withNodes(onPostgres, async ({ url }) => {
      const flushes: number[] = [];
      const log = await PostgresLog.open(url, {
        node: "ann",
        onFlush: ({ entries }) => void flushes.push(entries),
      });
      const replica = new Replica(log, "game/a");
      await replica.add("three", 3);
      await log.commit([replica.wanted], () => [undefined]);
      await replica.add("one");
      await log.close();
      assert.deepEqual(flushes, [3, 1]);
    }),
  );

  test(
    "[CL1] a lone node notifies nobody, and an unknown payload makes a node check all streams",
    withNodes(onPostgres, async ({ url, run, start }, ann) => {
      const payloads: unknown[] = [];
      const listener = await connectTo(url);
      listener.on("notification", ({ payload }) => void payloads.push(JSON.parse(payload ?? "")));
      await listener.query("LISTEN openseat");
      assert.equal((await sharingOf(ann).heartbeat([])).others.size, 0);
      sharingOf(ann).announce([{ stream: "game/a", version: 1, hasEffects: false }]);
      const bob = await start("bob");
      await sharingOf(bob).heartbeat([]);
      await sharingOf(ann).heartbeat([]);
      sharingOf(ann).announce([
        { stream: "game/b", version: 2, hasEffects: true },
        { stream: "game/b", version: 1, hasEffects: false },
      ]);
      await until(() => payloads.length > 0, "it was told");
      assert.deepEqual(payloads, [["ann", ["game/b", 2, 1]]]);
      await listener.end();

      const received: (readonly StreamAdvanced[] | undefined)[] = [];
      sharingOf(bob).listen((advanced) => void received.push(advanced));
      await until(() => received.length === 1, "it listens");
      const words = [
        "rubbish",
        "{}",
        "[1, 2]",
        '["n", [5, 1, 1]]',
        '["n", ["game/a", "x", 1]]',
        '["n", null]',
      ];
      for (const word of words) await run(`NOTIFY openseat, '${word}'`);
      await until(() => received.length === 1 + words.length, "it has received them");
      assert.deepEqual(
        received,
        [undefined, ...words].map(() => undefined),
      );
    }),
  );

  test(
    "[CL4] when the tables have become too new for a running node, its heartbeat fails and it sends no more queries",
    withNodes(onPostgres, async ({ run }, ann) => {
      await sharingOf(ann).heartbeat([]);
      await run("UPDATE openseat.schema_version SET version = version + 1");
      await sharingOf(ann).heartbeat([]);
      await run("UPDATE openseat.schema_version SET compatible_from = version");
      const isSaid = ({ message }: Error) => message.includes("newer Openseat");
      await assert.rejects(
        sharingOf(ann).heartbeat([]),
        (error: Error) => error instanceof LogUnusable && isSaid(error),
      );
      await assert.rejects(ann.heads(["game/a"]), isSaid);
      await assert.rejects(new Replica(ann, "game/a").add("too late"), isSaid);
      await assert.rejects(ann.head("game/a"), isSaid);
    }),
  );

  test(
    "[CL3] nodes without heartbeats for long are removed, even if the clock was set back",
    withNodes(onPostgres, async ({ run, pass }, ann, bob) => {
      await sharingOf(bob).heartbeat([]);
      await sharingOf(ann).heartbeat([]);
      await pass(-3_600_000);
      const state = await sharingOf(ann).heartbeat([]);
      assert.deepEqual([state.isLeader, state.others.size], [true, 0]);
      assert.ok(state.servedSince <= state.at);
      assert.deepEqual((await run("SELECT name FROM openseat.nodes")).rows, [{ name: "ann" }]);
    }),
  );
});
