import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { elsewhere, Hall, patient } from "../arenas/hall.ts";
import { assertNear, Club, eloChange } from "../ladders/club.ts";
import { ChildServer } from "../support/child-server.ts";
import { type Client, type Json, range, until } from "../support/http.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";
import { type KeyedAct, KillRounds, killsOr } from "./rounds.ts";

const kills = killsOr(6);
const keys = {
  serviceKey: "service_key_of_the_crash_test_of_ladders",
  operatorKey: "operator_key_of_the_crash_test_of_ladders",
} as const;
const people = range(12).map((index) => `p${index}`);

const keyFlags = ["--service-key", keys.serviceKey, "--operator-key", keys.operatorKey];

/** A folder, and servers on it that end with the test. */
async function onFolder(
  work: (start: () => Promise<ChildServer>, folder: string) => Promise<void>,
): Promise<void> {
  const folder = diskFolder();
  const servers: ChildServer[] = [];
  try {
    await work(async () => {
      const server = await ChildServer.start(["--data", folder.path, ...keyFlags, ...issuerFlags]);
      servers.push(server);
      return server;
    }, folder.path);
  } finally {
    for (const server of servers) await server.kill();
    folder.remove();
  }
}

/** Queries the store with SQL while no server runs. */
function stored<Row>(folder: string, sql: string): Row[] {
  const db = new DatabaseSync(join(folder, "openseat.db"));
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }) as Row);
  } finally {
    db.close();
  }
}

/** LD2, LD4: nothing is half written, and every rating follows from its history. */
function assertWhole(folder: string): void {
  const odd = stored(
    folder,
    `WITH steps AS (SELECT ladder, match, count(*) AS steps FROM rating_history GROUP BY ladder, match)
     SELECT m.number, m.status, steps FROM matches AS m
     LEFT JOIN steps AS s ON s.ladder = m.ladder AND s.match = m.number
     WHERE coalesce(steps, 0) <> iif(m.status IN ('counted', 'voided'), 2, 0)`,
  );
  assert.deepEqual(odd, [], "matches with half a history");
  const wrong = stored(
    folder,
    `WITH latest AS (
       SELECT h.ladder, h.player, max(h.turn) AS turn FROM rating_history AS h
       JOIN matches AS m ON m.ladder = h.ladder AND m.number = h.match AND m.status = 'counted'
       GROUP BY h.ladder, h.player)
     SELECT p.person, p.rating, h.after FROM latest JOIN rating_history AS h USING (ladder, player, turn)
     JOIN players AS p ON p.ladder = h.ladder AND p.number = h.player WHERE p.rating <> h.after`,
  );
  assert.deepEqual(wrong, [], "ratings that do not follow from their history");
}

/** The ratings after all counted matches in order, by Elo's formula alone. */
function modelled(matches: readonly Json[]): Map<string, number> {
  const ratings = new Map<string, number>();
  for (const { players, status } of matches) {
    if (status !== "counted") continue;
    const [a, b] = players.map(({ userId }: Json) => ratings.get(userId) ?? 1000);
    const change = eloChange([a, b], [players[0].score, players[1].score]);
    ratings.set(players[0].userId, a + change);
    ratings.set(players[1].userId, b - change);
  }
  return ratings;
}

async function assertModelled(club: Club, id: string): Promise<Json[]> {
  const matches = JSON.parse(await club.export(id, "matches", "json"));
  const expected = modelled(matches);
  for (const { userId, rating } of await club.standings(id))
    assertNear(rating, expected.get(userId) ?? 1000, userId);
  return matches;
}

interface Act extends KeyedAct {
  readonly type: "report" | "void";
  readonly players: [string, string];
  readonly scores: [number, number];
  readonly match: string;
}

test(`[LD1] [LD2] [LD5] [LD8] [LG3] ${kills} kills while matches are reported and voided: none is lost, doubled or half applied`, (context) => {
  const rounds = new KillRounds<Act>();
  const { effects, random } = rounds;
  const below = (count: number) => Math.floor(random() * count);
  const clubOf = (client: Client) => new Club({ client, ...keys });
  const acted = (type: Act["type"]) => effects.filter((act) => act.type === type);

  function nextAct(): Act {
    const [first, second] = [below(12), 1 + below(11)];
    const players: [string, string] = [people[first], people[(first + second) % 12]];
    const reports = acted("report");
    const old = reports[below(reports.length)];
    const type = old && random() < 0.05 ? "void" : "report";
    const match = old?.answer?.body.data.match.id ?? "";
    return { key: rounds.newKey(), type, players, scores: [below(3), below(3)], match };
  }

  return rounds.run(context, {
    ...{ kills, answersMax: 400, replaysMax: 60, flags: keyFlags, checkFolder: assertWhole },
    people: range(16).map(() => nextAct),
    send(client, { key, type, players, scores, match }) {
      const club = clubOf(client);
      return type === "report" ? club.report("l", players, scores, { key }) : club.void("l", match, { key });
    },
    note(act, { status, body, text }) {
      if (status !== 200) assert.equal(body?.code, "match.voided", `${JSON.stringify(act)}: ${text}`);
      return status === 200;
    },
    begin: (client) => clubOf(client).newLadder(people, { id: "l" }),
    async check({ client }) {
      const matches = await assertModelled(clubOf(client), "l");
      assert.deepEqual(
        matches.map(({ id }) => id).sort(),
        acted("report")
          .map(({ answer }) => answer!.body.data.match.id)
          .sort(),
        "as many matches as reports, each with its own number",
      );
      const voided = new Set(acted("void").map(({ match }) => match));
      assert.equal(matches.filter(({ status }) => status === "voided").length, voided.size);
    },
  });
});

test(`[LD12] killed ${kills} times between the result of an arena and its ladder: each result counts once`, (context) =>
  onFolder(async (start, folder) => {
    let between = 0;
    let results = 0;
    let arena = "";
    for (const round of range(kills + 1)) {
      const server = await start();
      const client = server.client();
      const [club, hall] = [new Club({ client, ...keys }), new Hall({ client, ...keys })];
      if (round === 0) {
        await club.newLadder([], { id: "l" });
        arena = await hall.newArena({
          ...patient,
          ...elsewhere,
          id: "a",
          ladder: "l",
          maxWins: null,
          drawRule: "rematch",
        });
        for (const person of ["ann", "bob"]) await hall.join(arena, person);
      }
      const arrived = async () => (await club.look("l")).ladder.matches;
      await until("all results on the ladder", async () => (await arrived()) >= results);
      assert.equal(await arrived(), results);
      await assertModelled(club, "l");
      if (round < kills) {
        const { match } = (await hall.look(arena)).state;
        const answer = await hall.report(arena, match.id, [null, "1", "2"][round % 3]);
        server.process.kill("SIGKILL");
        assert.equal(answer.status, 200, answer.text);
        results++;
      }
      await server.kill();
      client.close();
      const waiting = stored(folder, "SELECT number FROM outbox").length;
      assert.ok(waiting <= 1);
      between += waiting;
      if (round === kills) assert.equal(waiting, 0);
    }
    assertWhole(folder);
    context.diagnostic(`${between} of ${kills} kills came between the two`);
  }));

test("[LD12] killed after a result arrived but before that was recorded: it is sent again and counts once", () =>
  onFolder(async (start, folder) => {
    const first = await start();
    const before = first.client();
    const [club, hall] = [new Club({ client: before, ...keys }), new Hall({ client: before, ...keys })];
    await club.newLadder([], { id: "l" });
    const rated = { ...elsewhere, id: "a", ladder: "l", maxWins: null };
    const { id, match } = await hall.playing(["ann", "bob"], rated);
    await hall.report(id, match, "1");
    await until("the result", async () => (await club.look("l")).ladder.matches === 1);
    const shown = await club.standings("l");
    before.close();
    await first.kill();
    // Simulates a crash a moment earlier: the arena's entry says what it sent.
    const [{ version }] = stored<{ version: number }>(
      folder,
      "SELECT version FROM streams WHERE name LIKE 'arena/%'",
    );
    const body = JSON.stringify({ players: ["ann", "bob"], names: ["Ann", "Bob"], scores: [1, 0] });
    const [{ key }] = stored<{ key: string }>(folder, "SELECT key FROM matches");
    const sent = Number(key.slice(key.indexOf("#") + 1));
    assert.ok(sent <= version);
    const db = new DatabaseSync(join(folder, "openseat.db"));
    db.exec("DELETE FROM outbox");
    db.prepare(
      `INSERT INTO outbox (source, version, target, body)
       SELECT number, ?, 'ladder/l', ? FROM streams WHERE name = ?`,
    ).run(sent, body, `arena/${id}`);
    db.close();
    const second = await start();
    const after = second.client();
    const later = new Club({ client: after, ...keys });
    const next = new Hall({ client: after, ...keys });
    const { match: on } = (await next.look(id)).state;
    assert.deepEqual(await later.standings("l"), shown);
    await next.report(id, on.id, "1");
    await until("the next result", async () => (await later.look("l")).ladder.matches >= 2);
    assert.equal((await later.look("l")).ladder.matches, 2);
    after.close();
    await second.signal("SIGTERM");
    assert.deepEqual(stored(folder, "SELECT number FROM outbox"), []);
    assertWhole(folder);
  }));

test("[LD5] a repeatedly killed import continues where it stopped and counts each row once", () =>
  onFolder(async (start, folder) => {
    const rows = range(12_000).map((index) => ({
      players: [people[index % 12], people[(index + 1 + (index % 11)) % 12]],
      scores: [index % 3, (index * 7) % 4],
    }));
    let digest = "";
    let seen = 0;
    for (let round = 0; ; round++) {
      assert.ok(round < 100, "the import never ends");
      const server = await start();
      const client = server.client();
      const club = new Club({ client, ...keys });
      if (round === 0) {
        await club.newLadder([], { id: "l" });
        const begun = await club.import("l", rows, { key: "the file", token: keys.operatorKey });
        assert.equal(begun.status, 202, begun.text);
        digest = begun.body.data.import.id;
      }
      const progress = async () => (await club.look("l", `/imports/${digest}`)).import;
      const { done } = await progress();
      assert.ok(done >= seen, `${seen} rows were counted once, and now ${done}`);
      const goal = done + 1 + Math.floor(Math.random() * 4_000);
      const { status } = await until("more of it", async () => {
        const now = await progress();
        seen = now.done;
        return (now.done >= goal || now.status === "done") && now;
      });
      const again = await club.import("l", rows, { key: "the file", token: keys.operatorKey });
      assert.deepEqual([again.status, again.headers["idempotent-replayed"]], [202, "true"]);
      if (status === "done") {
        const matches = await assertModelled(club, "l");
        assert.deepEqual(
          matches.map(({ players }) => players.map(({ userId }: Json) => userId)),
          rows.map(({ players }) => players),
        );
        client.close();
        await server.kill();
        assertWhole(folder);
        assert.ok(round > 0, "the server was never killed");
        break;
      }
      await server.kill();
      client.close();
    }
  }));
