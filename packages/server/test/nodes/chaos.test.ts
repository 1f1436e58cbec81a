import assert from "node:assert/strict";
import type { GameEvent, QueueEvent } from "@openseat/kernel";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Cluster } from "./cluster.ts";
import { GameCrowd, QueueCrowd } from "./crowds.ts";
import { Faults } from "./faults.ts";
import {
  assertGameTimers,
  assertKept,
  assertOrder,
  assertQueueTimers,
  assertSeats,
  entriesOf,
} from "./judge.ts";
import { Chance, names, People } from "./people.ts";
import { Uptime } from "./uptime.ts";

const { test } = testsNeeding(missingPostgres);

/** CRASH_SEED repeats a run's choices, but not its timing. */
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const fireMs = 60_000;
const leaseMs = 5_000;
const [seats, people, gamers, visitors] = [2_000, 2_300, 10, 80];
const room = { maxActive: 14, rate: 7, burst: 3 };
const clockGames = 8;

/** The busy game, the busy queue, and games that nobody touches until they end. */
async function openRooms(cluster: Cluster, chance: Chance) {
  const { operatorKey: token } = await cluster.keys();
  const [{ client }] = cluster.nodes;
  const game = await client.newGame({ maxPlayers: seats });
  const leases = { heartbeatTimeoutSeconds: leaseMs / 1_000, claimTimeoutSeconds: 5 };
  const body = { id: "hot", title: "Hot", ...room, ...leases };
  assert.equal((await client.post("/api/v1/queues", { token, body })).status, 201);
  const ends = range(clockGames).map((index) => 10_000 + (index + chance.next()) * (fireMs / clockGames));
  const clocks: string[] = [];
  for (const ms of ends)
    clocks.push(await client.newGame({ endTime: new Date(Date.now() + ms).toISOString() }));
  return { game, queue: "hot", clocks };
}

test(`[CL1] [CL2] [CL3] [CL5] [LG3] [RM2] [RM3] [ID1] [LN1] [AD3] [LS1] three nodes, a game and a queue, and ${fireMs / 1_000} s of nodes killed and frozen, PostgreSQL killed, connections cut: nothing acknowledged is lost, and every promise holds`, async (context) => {
  const chance = new Chance(seed);
  const cluster = await Cluster.start(3, { isCrashed: true, flags: ["--log-level", "warn"] });
  const uptime = new Uptime(cluster);
  const faults = new Faults({ cluster, uptime, chance: new Chance(seed + 1), leaseMs });
  const everybody = new People(cluster, chance);
  const crowd = { people: everybody, chance, isOver: false };
  try {
    const { game, queue, clocks } = await openRooms(cluster, chance);
    const players = new GameCrowd(crowd, game, names("player", people));
    const visiting = new QueueCrowd(crowd, queue, leaseMs);
    await players.fill(seats - 20, 64);
    const load = Promise.all([
      ...range(gamers).map(() => players.comeAndGo()),
      ...range(visitors).map(() => visiting.comeAndGo()),
    ]);
    // The first failure ends the whole run.
    await Promise.race([faults.make(fireMs), load]);
    crowd.isOver = true;
    await load;
    await calm(cluster, queue);
    const replayed = everybody.acts.filter(({ answer }) => answer.status < 300).slice(-300);
    for (const act of replayed) await everybody.assertSame(act);
    const said = await judge({ cluster, uptime, people: everybody, game, queue, clocks });
    context.diagnostic(`seed ${seed}: ${faults.done.join(", ")}`);
    context.diagnostic(said);
  } catch (error) {
    const told = cluster.nodes.map(({ said }) => said.slice(-3_000));
    const about = [`With CRASH_SEED=${seed}: ${(error as Error).message}`, faults.done.join(", "), ...told];
    throw new Error(about.join("\n"), { cause: error });
  } finally {
    crowd.isOver = true;
    everybody.isOver = true;
    await uptime.stop();
    await cluster.close();
  }
});

/** LS1: all people have left, so nobody waits any more on any node, and all nodes agree. */
async function calm({ nodes }: Cluster, queue: string): Promise<void> {
  const stats = async ({ client }: Cluster["nodes"][number]) =>
    (await client.get(`/api/v1/queues/${queue}/stats`)).body?.data?.stats;
  await until("an empty line", async () => (await stats(nodes[0]))?.waiting === 0);
  const all = await Promise.all(nodes.map(stats));
  for (const each of all) assert.equal(each.waiting, 0, JSON.stringify(all));
  for (const { client } of nodes) assert.equal((await client.get("/readyz")).status, 200);
}

interface Case {
  readonly cluster: Cluster;
  readonly uptime: Uptime;
  readonly people: People;
  readonly game: string;
  readonly queue: string;
  readonly clocks: readonly string[];
}

async function judge({ cluster, uptime, people, game, queue, clocks }: Case): Promise<string> {
  const log = await PostgresLog.open(cluster.url, { node: "judge" });
  try {
    const { acts, signs, shown } = people;
    const played = await entriesOf<GameEvent>(log, `game/${game}`);
    const waited = await entriesOf<QueueEvent>(log, `queue/${queue}`);
    const readAt = Date.now();
    assertKept(
      played,
      acts.filter((act) => act.room === "game"),
    );
    assertKept(
      waited,
      acts.filter((act) => act.room === "queue"),
    );
    assertSeats(played, seats, shown);
    assertOrder(waited, { ...room, seats: room.maxActive, leaseMs }, signs);
    const { rung, latestMs } = assertQueueTimers(waited, uptime, readAt);
    for (const id of clocks) {
      const entries = await entriesOf<GameEvent>(log, `game/${id}`);
      assertGameTimers(entries, uptime, readAt);
      assert.deepEqual(entries.at(-1)!.events, [
        { type: "ended", reason: "end_time", seated: 0, waiting: 0 },
      ]);
    }
    assert.ok(acts.length > 500 && rung > 20, `only ${acts.length} acts, ${rung} timers: there was no load`);
    return (
      `${acts.length} acts, ${signs.length} heartbeats; ${people.lost} answers lost, ${people.refused} refused; ` +
      `${played.length} and ${waited.length} entries; ${rung} timers, the latest by ${latestMs} ms; ` +
      `${Math.round(uptime.goodMs / 1_000)} s in which all could be served`
    );
  } finally {
    await log.close();
  }
}
