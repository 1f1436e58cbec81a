import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { type Answer, assertRefused, type Client, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { againIfLate } from "../support/patience.ts";
import { tempFolder } from "../support/server.ts";
import { secretsOf } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const { test } = testsNeeding(missingCompiler);
const skip = skipFailingFlushes;

/** A busy machine may add this to what a limit allows. */
const lateMsMax = 20_000;
const timeoutMs = 5_000;

interface Stage {
  readonly server: ChildServer;
  readonly client: Client;
  readonly disk: ReturnType<typeof failingFlushes>;
  readonly data: string;
}

/** The server on a disk that can hang. */
async function onDisk(work: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  const disk = failingFlushes(folder.path);
  const data = join(folder.path, "data");
  const server = await ChildServer.start(["--data", data, ...issuerFlags], disk.environment);
  const client = server.client(256);
  try {
    await work({ server, client, disk, data });
  } finally {
    client.close();
    await server.kill();
    folder.remove();
  }
}

async function timed(asked: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const from = performance.now();
  const answer = await asked;
  return { answer, ms: performance.now() - from };
}

test(
  "[LG10] a hanging disk: requests get 503 in time, /readyz and /metrics answer, and the same keys work when it is back",
  { skip },
  () =>
    againIfLate((inTime) =>
      onDisk(async ({ server, client, disk, data }) => {
        const game = await client.newGame({ maxPlayers: 1_000 });
        const other = await client.newGame({ maxPlayers: 1_000 });
        const { operatorKey: token } = await secretsOf(data);
        const body = { id: "q", title: "A queue", maxActive: 1 };
        assert.equal((await client.post("/api/v1/queues", { token, body })).status, 201);
        const enter = (person: string) =>
          client.post("/api/v1/queues/q/positions", { token: tokenOf(person), key: `key of ${person}` });
        assert.equal((await enter("first")).status, 201);
        const joinAs = (person: string) => client.join(game, person, `key of ${person}`);
        assert.equal((await joinAs("ann")).status, 200);

        const before = await client.get("/metrics", { token });
        assert.match(before.text, /openseat_queue_active\{queue="q"\} 0/);

        disk.hang();
        const hungAt = performance.now();
        const asked = [...range(20).map((n) => timed(joinAs(`p${n}`))), timed(enter("second"))];
        let isAnyRefused = false;
        for (const each of asked) void each.then(() => (isAnyRefused = true));
        const { unready, metrics } = await inTime(timeoutMs, async () => ({
          unready: await client.get("/readyz"),
          metrics: await client.get("/metrics", { token }),
        }));
        assert.equal(unready.status, 503, unready.text);
        assert.match(unready.body.reason, /has not answered/);
        assert.match(metrics.text, /openseat_queue_active\{queue="q"\} 0/);
        assert.ok(!isAnyRefused, "they have waited for the disk");
        for (const { answer, ms } of await Promise.all(asked)) {
          assertRefused(answer, 503, "log.unavailable");
          assert.equal(answer.body.retryable, true);
          assert.ok(ms < timeoutMs + lateMsMax, `a request waited ${ms} ms`);
        }
        assert.ok(performance.now() - hungAt < timeoutMs + lateMsMax);

        // Nothing waits any more: refused at once, and what is in memory is shown.
        const { answer: refused, ms } = await inTime(timeoutMs, () => timed(joinAs("late")));
        assertRefused(refused, 503, "log.unavailable");
        assert.ok(ms < timeoutMs, `${ms} ms`);
        assert.equal((await client.look(other)).game.currentPlayers, 0);
        assert.match((await client.get("/readyz")).body.reason, /disk has not answered/);
        assert.equal((await client.get("/metrics")).status, 200);
        assert.match(server.stdout, /the data folder cannot be used/);

        disk.heal();
        await until("a server that is ready", async () => (await client.get("/readyz")).status === 200);
        assert.match(server.stdout, /the data folder can be used again/);
        for (const person of [...range(20).map((n) => `p${n}`), "late"]) {
          const answer = await until(`the join of ${person}`, async () => {
            const again = await joinAs(person);
            return again.status === 200 && again;
          });
          assert.equal(answer.body.data.participant.userId, person);
        }
        assert.equal((await enter("second")).status, 201);
        // The one that was on its way to the disk had been written, and everybody is there once.
        const people = (await client.participants(game)).map(({ userId }) => userId);
        assert.deepEqual(people.toSorted(), ["ann", "late", ...range(20).map((n) => `p${n}`)].toSorted());
        assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
      }),
    ),
);

test("[LG10] a start on a disk that hangs: the log says so, and after SIGTERM the process ends in time and says why", {
  skip,
}, async () => {
  const folder = tempFolder();
  const disk = failingFlushes(folder.path);
  disk.hang();
  const flags = ["--data", join(folder.path, "data"), "--store-timeout-ms", "1000"];
  const server = await ChildServer.begin(flags, disk.environment);
  try {
    await until("a line in the log", () => /data is not open after 1 s\. The start/.test(server.stdout));
    assert.deepEqual(await server.signal("SIGTERM"), { code: null, signal: "SIGKILL" });
    assert.match(server.stderr, /The stop took longer than 15 seconds/);
  } finally {
    await server.kill();
    folder.remove();
  }
});

test("[LG10] reading a file of the data folder hangs: the server goes on", { skip }, () =>
  onDisk(async ({ server, client, data }) => {
    const path = join(data, "signing-keys.json");
    const keys = readFileSync(path);
    // Whoever opens it waits for a writer, and then for what is written.
    execFileSync("mkfifo", [`${path}.hanging`]);
    renameSync(`${path}.hanging`, path);
    const writer = await until("the server reads it", () => openForWriting(path));
    try {
      assert.equal((await client.get("/readyz")).status, 200);
      assert.equal((await client.join(await client.newGame(), "ann")).status, 200);
    } finally {
      writeFileSync(`${path}.new`, keys);
      renameSync(`${path}.new`, path);
      writeSync(writer, keys);
      closeSync(writer);
    }
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
  }),
);

/** Undefined as long as nobody reads it. */
function openForWriting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
