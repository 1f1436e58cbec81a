import assert from "node:assert/strict";
import { Hall } from "../arenas/hall.ts";
import { eachOf, type Json, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster } from "./cluster.ts";
import { Chance, pause } from "./people.ts";

const { suite, test } = testsNeeding(missingPostgres);

/** The full test is OUTAGES=60 OUTAGE_SECONDS_MAX=15, which takes a quarter of an hour per number of nodes. */
const outages = Number(process.env.OUTAGES ?? 2);
const secondsMax = Number(process.env.OUTAGE_SECONDS_MAX ?? 9);
const seed = Number(process.env.OUTAGE_SEED ?? Math.floor(Math.random() * 2 ** 31));

const moveTimeoutSeconds = 8;
/** Part of a turn reserved for a busy machine. */
const thinkMsMax = 5_500;
const lookMs = 300;
/** Do not wait for a node that does not answer. */
const patienceMs = 1_500;
const matchesAtOnce = 8;

const kinds = ["kill", "refuse", "swallow"] as const;

/** A player of rock, paper, scissors who moves in time whenever possible. */
class Player {
  readonly #cluster: Cluster;
  readonly #arena: string;
  readonly #person: string;
  readonly #chance: Chance;
  #match: string | undefined;
  #moveAt = 0;

  constructor(cluster: Cluster, arena: string, person: string, chance: Chance) {
    this.#cluster = cluster;
    this.#arena = arena;
    this.#person = person;
    this.#chance = chance;
  }

  async playUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#look().catch(() => {});
      await pause(lookMs);
    }
  }

  async #look(): Promise<void> {
    const call = { token: tokenOf(this.#person), timeoutMs: patienceMs };
    const { client } = this.#chance.of(this.#cluster.nodes);
    const answer = await client.get(`/api/v1/arenas/${this.#arena}`, call);
    if (answer.status !== 200) return;
    const { match, players } = answer.body.data.state;
    const { label } = players.find(({ person }: Json) => person.id === this.#person) ?? {};
    if (!match?.toMove.includes(label)) return;
    if (match.id !== this.#match) this.#moveAt = performance.now() + this.#chance.next() * thinkMsMax;
    this.#match = match.id;
    if (performance.now() < this.#moveAt) return;
    const move = label === players[0].label ? "rock" : "paper";
    const body = { match: match.id, turn: match.turn, move };
    await client.post(`/api/v1/arenas/${this.#arena}/moves`, { ...call, body });
  }
}

/** The arena of a new match; undefined if PostgreSQL was too slow, as on a busy machine. */
async function newMatch(hall: Hall, people: readonly string[], fields: Json): Promise<string | undefined> {
  try {
    return (await hall.playing(people, fields)).id;
  } catch (error) {
    if ((error as Error).message.includes("log.unavailable")) return undefined;
    throw error;
  }
}

async function breakDown(cluster: Cluster, kind: (typeof kinds)[number], ms: number): Promise<void> {
  if (kind === "kill") await cluster.postgres.kill();
  else for (const { relay } of cluster.nodes) relay[kind]();
  await pause(ms);
  if (kind === "kill") await cluster.postgres.restart();
  else for (const { relay } of cluster.nodes) relay.heal();
}

suite(`matches during ${outages} outages of PostgreSQL (OUTAGE_SEED=${seed})`, () => {
  for (const count of [1, 3])
    test(`[AR9] [AR8] [LS4] nobody forfeits, with ${count} nodes`, async () => {
      const chance = new Chance(seed);
      const cluster = await Cluster.start(count, { isCrashed: true });
      let isOver = false;
      try {
        const hall = new Hall({ client: cluster.nodes[0].client });
        const fields = {
          ...{ game: "rock-paper-scissors", options: { bestOf: 1 } },
          ...{ moveTimeoutSeconds, reconnectGraceSeconds: 15 },
        };
        const arenas = await eachOf(range(matchesAtOnce), 4, (index) =>
          until("a match", () => newMatch(hall, [`a${index}`, `b${index}`], fields)),
        );
        const players = arenas.flatMap((id, index) => [`a${index}`, `b${index}`].map((name) => [id, name]));
        const playing = players.map(([id, name], index) =>
          new Player(cluster, id, name, new Chance(seed + index)).playUntil(() => isOver),
        );
        for (const number of range(outages)) {
          await pause(chance.between(500, 4_000));
          const seconds = 1 + ((secondsMax - 1) * (number + chance.next())) / outages;
          await breakDown(cluster, chance.of(kinds), seconds * 1_000);
          for (const { client } of cluster.nodes)
            await until("a ready node", async () => (await client.get("/readyz")).status === 200);
        }
        await pause((moveTimeoutSeconds + 2) * 1_000);
        isOver = true;
        await Promise.all(playing);
        const ended: Json[] = [];
        for (const id of arenas) ended.push(...(await hall.matches(id, "?limit=500")).body.data.matches);
        const reasons = Object.groupBy(ended, ({ reason }) => reason);
        assert.deepEqual(Object.keys(reasons), ["played"], JSON.stringify(reasons));
        assert.ok(ended.length >= matchesAtOnce, `only ${ended.length} matches were played`);
      } finally {
        isOver = true;
        await cluster.close();
      }
    });
});
