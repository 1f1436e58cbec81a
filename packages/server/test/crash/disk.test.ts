import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { type Answer, assertRefused, type Client, metric, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { diskFolder } from "../support/server.ts";
import { cannotMount, type Disk, onSmallDisk } from "../support/small-disk.ts";
import { issuerFlags } from "../support/tokens.ts";

/** Joins run, the disk fails, nothing is acknowledged, it recovers, and nothing was lost. */
async function failAndRecover(disk: Disk): Promise<void> {
  const flags = ["--data", disk.data, ...issuerFlags];
  const acknowledged = new Map<string, Answer>();
  const refused: string[] = [];
  let game = "";
  const joinAs = async (client: Client, person: string) => {
    const answer = await client.join(game, person, `key of ${person}`);
    if (answer.status === 200) acknowledged.set(person, answer);
    return answer;
  };
  await ChildServer.running(
    flags,
    async (client) => {
      game = await client.newGame({ maxPlayers: 1_000_000 });
      let next = 0;
      const join = async () => {
        const person = `p${next++}`;
        const answer = await joinAs(client, person);
        if (answer.status === 200) return 200;
        assertRefused(answer, 503, "log.unavailable");
        assert.equal(answer.body.retryable, true);
        refused.push(person);
        return answer.status;
      };
      await Promise.all(range(50).map(join));
      assert.equal(acknowledged.size, 50);
      assert.equal((await client.get("/readyz")).status, 200);

      disk.fail();
      // On a nearly full disk a small append may still fit.
      await until("a refusal", async () =>
        (await Promise.all(range(20).map(join))).every((status) => status === 503),
      );
      assert.equal((await client.get("/readyz")).status, 503);
      assert.equal((await client.get("/healthz")).status, 200);
      for (const _ of range(3))
        assert.deepEqual(new Set(await Promise.all(range(20).map(join))), new Set([503]));
      const made = await client.post("/api/v1/games", {
        token: (await client.post("/api/v1/guests")).body.data.token,
        body: { title: "Never", maxPlayers: 2 },
      });
      assertRefused(made, 503, "log.unavailable");
      await assertAllThere(client, game, acknowledged);

      disk.heal();
      await until("a join that is taken", async () => (await join()) === 200);
      await until("a server that is ready", async () => (await client.get("/readyz")).status === 200);
      for (const person of refused) assert.equal((await joinAs(client, person)).status, 200);
      await assertAllThere(client, game, acknowledged);
    },
    disk.environment,
  );
  await ChildServer.running(flags, async (client) => {
    await assertAllThere(client, game, acknowledged);
    for (const [person, { status, text }] of acknowledged) {
      const again = await client.join(game, person, `key of ${person}`);
      assert.deepEqual([again.status, again.text], [status, text]);
    }
  });
}

async function assertAllThere(
  client: Client,
  game: string,
  acknowledged: ReadonlyMap<string, Answer>,
): Promise<void> {
  const people = (await client.participants(game)).map(({ userId }) => userId);
  assert.equal(new Set(people).size, people.length, "a person is listed twice");
  const missing = [...acknowledged.keys()].filter((person) => !people.includes(person));
  assert.deepEqual(missing, []);
}

test(
  "[LG2] [LG3] a full disk: 503 and not ready, nothing acknowledged is lost, and it recovers by itself",
  {
    skip: cannotMount,
  },
  (context) => onSmallDisk(context, failAndRecover),
);

test(
  "[LM11] a full disk under hundreds of requests writes few log lines, and all requests are counted",
  {
    skip: cannotMount,
  },
  (context) =>
    onSmallDisk(context, ({ data, fail }) =>
      ChildServer.running(["--data", data, ...issuerFlags], async (client, server) => {
        let [asked, refused] = [0, 0];
        // A new person each time: a repeated join that was stored after all would be answered without a write.
        const join = async (game: string) => {
          const person = `p${asked++}`;
          const { status } = await client.join(game, person, `key of ${person}`);
          if (status === 503) refused++;
        };
        const games = await Promise.all(range(10).map(() => client.newGame({ maxPlayers: 10_000 })));
        fail();
        await until("400 refusals", async () => {
          await Promise.all(games.map(join));
          return refused >= 400;
        });
        const faults = await metric(client, "openseat_faults_total");
        assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
        const lines = server.stdout.trim().split("\n");
        assert.ok(lines.length < 20, `${lines.length} lines:\n${server.stdout}`);
        const noted = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
        const told = noted.reduce((sum, { repeats = 1 }) => sum + repeats, 0);
        assert.ok(told >= faults && faults >= 1, `${told} told, ${faults} counted`);
      }),
    ),
);

testsNeeding(missingCompiler).test(
  "[LG2] [LG3] a flush that fails: 503 and not ready, nothing acknowledged is lost, and it recovers by itself",
  { skip: skipFailingFlushes },
  async () => {
    const folder = diskFolder();
    try {
      await failAndRecover({ data: join(folder.path, "data"), ...failingFlushes(folder.path) });
    } finally {
      folder.remove();
    }
  },
);

test("[LM1] log lines that cannot be written are lost without delaying or refusing requests", {
  skip: process.platform === "linux" ? false : "there is no /dev/full here",
}, async () => {
  const folder = diskFolder();
  const full = openSync("/dev/full", "w");
  try {
    const flags = ["--data", join(folder.path, "data"), "--log-level", "debug"];
    const server = await ChildServer.start(flags, {}, full);
    const client = server.client();
    try {
      for (const _ of range(50)) assert.equal((await client.post("/api/v1/guests")).status, 201);
      assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    } finally {
      client.close();
      await server.kill();
    }
  } finally {
    closeSync(full);
    folder.remove();
  }
});
