import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { elsewhere, Hall, patient } from "../arenas/hall.ts";
import { Club } from "../ladders/club.ts";
import { LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { type Answer, type Client, type Json, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { assertReplays } from "./rounds.ts";

const { test } = testsNeeding(missingCompiler);

const hangs = 3;
const timeoutMs = 1_000;
const keys = {
  serviceKey: "service_key_of_the_test_of_hanging_disks",
  operatorKey: "operator_key_of_the_test_of_hanging_disks",
} as const;

interface Act {
  readonly send: (client: Client) => Promise<Answer>;
  answer?: Answer;
}

/** Retries with the same key until it is accepted. Only the log may refuse. */
async function insist(client: Client, act: Act): Promise<Answer> {
  return until("an answer", async () => {
    const answer = await act.send(client);
    if (answer.status === 503) assert.equal(answer.body.code, "log.unavailable", answer.text);
    else assert.ok(answer.status < 300, answer.text);
    return answer.status < 300 && Object.assign(act, { answer }).answer;
  });
}

/** Watches a game, and reconnects from the last version seen whenever it is disconnected. */
async function follow(url: string, game: string, isOver: () => boolean): Promise<Json[]> {
  const seen: Json[] = [];
  while (!isOver()) {
    const live = await LiveClient.open(url);
    const after = seen.at(-1)?.version;
    await live.ask({ type: "watch", game, ...(after !== undefined && { after }) });
    await until("the end", () => isOver() || live.socket.readyState !== live.socket.OPEN);
    for (const message of live.feed) if (message.version > (after ?? 0)) seen.push(message);
    live.close();
  }
  return seen;
}

test(`[LG10] [LG3] [LG2] [FD1] [LD12] [RM7] a disk that hangs ${hangs} times under load: nothing is lost or done twice, and timers, deliveries and watchers continue`, {
  skip: skipFailingFlushes,
}, async (context) => {
  const folder = diskFolder();
  const disk = failingFlushes(folder.path);
  const keyFlags = ["--service-key", keys.serviceKey, "--operator-key", keys.operatorKey];
  const flags = ["--data", join(folder.path, "data"), ...keyFlags, ...issuerFlags];
  const server = await ChildServer.start(
    [...flags, "--store-timeout-ms", String(timeoutMs)],
    disk.environment,
  );
  const client = server.client(64);
  const [club, hall] = [new Club({ client, ...keys }), new Hall({ client, ...keys })];
  const acts: Act[] = [];
  let isOver = false;
  const perform = async (send: Act["send"]) => {
    const act: Act = { send };
    const answer = await insist(client, act);
    acts.push(act);
    return answer;
  };
  try {
    const game = await client.newGame({ maxPlayers: 1_000_000 });
    const endTime = new Date(Date.now() + 4_000).toISOString();
    const ending = await client.newGame({ maxPlayers: 10, endTime });
    const body = { id: "q", title: "A queue", maxActive: 100_000, rate: 100, burst: 1 };
    const made = await client.post("/api/v1/queues", { token: keys.operatorKey, body });
    assert.equal(made.status, 201, made.text);
    await club.newLadder([], { id: "l" });
    const arena = await hall.newArena({
      ...{ ...patient, ...elsewhere, id: "a", ladder: "l", maxWins: null, drawRule: "rematch" },
    });
    for (const person of ["ann", "bob"]) await hall.join(arena, person);

    let count = 0;
    const coming = range(4).map(async () => {
      while (!isOver) {
        const person = `p${++count}`;
        await perform((to) => to.join(game, person, `join of ${person}`));
        const call = { token: tokenOf(person), key: `entry of ${person}` };
        await perform((to) => to.post("/api/v1/queues/q/positions", call));
      }
    });
    let results = 0;
    const reporting = (async () => {
      for (; !isOver; results++) {
        const { match } = await until("the match", async () => {
          const { body } = await client.get(`/api/v1/arenas/${arena}`);
          return body.data?.state?.match && body.data.state;
        });
        const report = { match: match.id, winner: [null, "1", "2"][results % 3] };
        const call = { token: keys.serviceKey, key: `result of ${match.id}`, body: report };
        await perform((to) => to.post(`/api/v1/arenas/${arena}/result`, call));
      }
    })();
    const following = follow(server.url, game, () => isOver);
    const isReady = async () => (await client.get("/readyz")).status === 200;
    for (const hang of range(hangs)) {
      const before = acts.length;
      await until("some work", () => acts.length > before + 20);
      disk.hang();
      // Alternately shorter and longer than the timeout.
      await setTimeout(timeoutMs * [0.5, 1.1, 2.5][hang % 3]);
      disk.heal();
      await until("a server that is ready", isReady);
    }
    const last = acts.length;
    await until("some more work", () => acts.length > last + 20);
    isOver = true;
    context.diagnostic(`${acts.length} effects, of them ${results} results`);
    await Promise.all([...coming, reporting]);

    const people = (await client.participants(game)).map(({ userId }) => userId);
    assert.deepEqual(
      people.toSorted(),
      range(count)
        .map((index) => `p${index + 1}`)
        .toSorted(),
    );
    await assertReplays(acts, ({ send }) => insist(client, { send }));
    await until("all results on the ladder", async () => (await club.look("l")).ladder.matches >= results);
    assert.equal((await club.look("l")).ladder.matches, results);
    await until("the end of the game", async () => (await client.look(ending)).game.status === "ENDED");
    await until("everybody's admission", async () => {
      const { stats } = (await client.get("/api/v1/queues/q/stats")).body.data;
      assert.equal(stats.entered, count);
      return stats.waiting === 0;
    });
    const seen = await following;
    const changes = seen.filter(({ type }) => type === "change");
    const joined = changes.flatMap((message) => message.changes.map(({ type }: Json) => type));
    assert.ok(joined.length > 0 && joined.every((type) => type === "player-joined"));
    for (const [index, { version }] of seen.entries())
      assert.ok(index === 0 || version > seen[index - 1].version, "in order, each once");

    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    const again = await ChildServer.start(flags);
    const newClient = again.client();
    try {
      await assertReplays(acts, ({ send }) => insist(newClient, { send }));
    } finally {
      newClient.close();
      await again.kill();
    }
  } finally {
    isOver = true;
    client.close();
    await server.kill();
    folder.remove();
  }
});
