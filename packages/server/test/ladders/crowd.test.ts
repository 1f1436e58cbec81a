import assert from "node:assert/strict";
import { test } from "node:test";
import type { LadderEvent } from "@openseat/kernel";
import { entriesAfter } from "../../src/host/stream/entries.ts";
import { Client, range } from "../support/http.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { openLogOf, storedIn } from "../support/store.ts";
import { issuerFlags } from "../support/tokens.ts";
import { Club, eloChange } from "./club.ts";

const writers = 16;
const people = 50;
const matches = 10_000;

/** Which match is played how, without chance: a run can be repeated. */
function matchOf(index: number): { players: [string, string]; scores: [number, number] } {
  const first = (index * 31) % people;
  const second = (first + 1 + ((index * 17) % (people - 1))) % people;
  return { players: [`p${first}`, `p${second}`], scores: [index % 4, (index * 7) % 5] };
}

/** Every fifth is sent twice: at once, or again later. */
const isRepeated = (index: number) => index % 5 === 0;

/** What follows from the matches of the log, in its order, by Elo's formula alone. */
async function replayed(folder: string, ladder: string): Promise<{ ratings: number[]; counted: number }> {
  const log = await openLogOf(folder);
  const ratings = new Array<number>(people).fill(1000);
  let counted = 0;
  try {
    for await (const { events } of entriesAfter<LadderEvent>(log, `ladder/${ladder}`, 0))
      for (const event of events) {
        if (event.type !== "counted") continue;
        const [a, b] = event.players.map((number) => number - 1);
        const change = eloChange([ratings[a], ratings[b]], event.scores);
        ratings[a] += change;
        ratings[b] -= change;
        counted++;
      }
  } finally {
    await log.close();
  }
  return { ratings, counted };
}

/** All of the matches, from as many connections as there are writers; the ladder's id. */
async function playAll(server: TestServer): Promise<string> {
  const clients = range(writers).map(() => new Client(server.url, 1));
  const clubs = clients.map((client) => new Club({ client, serviceKey: server.serviceKey }));
  const id = await new Club(server).newLadder(range(people).map((index) => `p${index}`));
  const send = async (club: Club, index: number) => {
    const { players, scores } = matchOf(index);
    const answer = await club.report(id, players, scores, { key: `match ${index}` });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const numbers = new Set<string>();
  let repeats = 0;
  let next = 0;
  const write = async (club: Club, other: Club) => {
    while (next < matches) {
      const index = next++;
      const both = isRepeated(index) ? [send(club, index), send(other, index)] : [send(club, index)];
      const [first, again] = await Promise.all(both);
      numbers.add(first.body.data.match.id);
      if (again === undefined) continue;
      repeats++;
      assert.equal(again.text, first.text, "the same bytes");
      const marks = [first, again].filter(({ headers }) => headers["idempotent-replayed"] === "true");
      assert.equal(marks.length, 1, "one of the two is told that it was the second");
    }
  };
  try {
    await Promise.all(clubs.map((club, writer) => write(club, clubs[(writer + 1) % writers])));
  } finally {
    for (const client of clients) client.close();
  }
  assert.deepEqual([repeats, numbers.size], [matches / 5, matches]);
  return id;
}

/** By plain SQL, as an operator would: what each player has. */
async function assertStored(folder: string): Promise<number[]> {
  const one = async (sql: string) => ({ ...(await storedIn(folder, sql))[0] });
  assert.deepEqual(
    await one("SELECT count(DISTINCT key) AS keys, min(number) AS low, max(number) AS high FROM matches"),
    { keys: matches, low: 1, high: matches },
  );
  assert.deepEqual(await one("SELECT count(*) AS n FROM matches WHERE status = 'counted'"), { n: matches });
  assert.deepEqual(await one("SELECT count(*) AS n FROM rating_history"), { n: 2 * matches });
  const odd = "SELECT match FROM rating_history GROUP BY match HAVING count(*) <> 2";
  assert.deepEqual(await one(`SELECT count(*) AS n FROM (${odd}) AS odd`), { n: 0 });
  assert.deepEqual(
    await one("SELECT count(*) AS n, sum(version) AS versions, sum(games) AS games FROM players"),
    { n: people, versions: 2 * matches, games: 2 * matches },
  );
  const steps = `SELECT before, lag(after, 1, 1000.0) OVER (PARTITION BY player ORDER BY turn) AS last FROM rating_history`;
  const torn = await one(`SELECT count(*) AS n FROM (${steps}) AS steps WHERE before <> last`);
  assert.deepEqual(torn, { n: 0 }, "each step begins where the one before it ended");
  const players = await storedIn(folder, "SELECT rating FROM players ORDER BY number");
  return players.map(({ rating }) => Number(rating));
}

test(`[LD1] [LD2] [LD4] [LD5] ${writers} writers, ${people} players, ${matches} matches at once, one in five sent twice: each counts once, and the ratings are those of the log's order`, async () => {
  const folder = tempFolder();
  try {
    const server = await startServer(issuerFlags, { path: folder.path, remove: () => {} });
    const id = await playAll(server).finally(() => server.stop());
    const ratings = await assertStored(server.folder);
    const sum = ratings.reduce((total, rating) => total + rating, 0);
    assert.ok(Math.abs(sum - 1000 * people) < 1e-6, `points came from nowhere, or went there: ${sum}`);
    const model = await replayed(server.folder, id);
    assert.equal(model.counted, matches);
    for (const [index, rating] of ratings.entries())
      assert.ok(Math.abs(rating - model.ratings[index]) < 1e-6, `p${index}`);
  } finally {
    folder.remove();
  }
});
