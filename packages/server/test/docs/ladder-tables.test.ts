import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";
import { readRepoFile } from "./reference.ts";

const page = readRepoFile("docs/reference/ladder-tables.md");
const tables = [...page.matchAll(/^## `(\w+)`\n(.*?)(?=^## )/gms)].map(([, name, section]) => ({
  name,
  columns: [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, column, type]) => `${column} ${type}`),
}));

/** The queries of the page, by the sentence above each. */
const queries = [...page.matchAll(/\n\n((?:[^\n]+\n)+)\n```sql\n([^`]+)```/g)].map(([, about, sql]) => ({
  about: about.trim().replaceAll("\n", " "),
  sql,
}));

/** The result of each after Ann has beaten Bob three times and voided the first match; by the start of its sentence. */
const answers: Readonly<Record<string, (rows: Json[]) => void>> = {
  "The ladders of this server": (rows) =>
    assert.deepEqual(rows.map(Object.values), [["club", 1, "Chess club", 3, 2]]),
  "The ten best": (rows) =>
    assert.deepEqual(
      rows.map(({ rank, rating, games }) => [rank, rating, games]),
      [
        [1, 1031, 2],
        [2, 1000, 0],
        [3, 969, 2],
      ],
    ),
  "The rating history of a player": (rows) =>
    assert.deepEqual(
      rows.map(({ number, change, status }) => [number, change, status]),
      [
        [3, 14.5, "counted"],
        [2, 16, "counted"],
        [1, 16, "voided"],
      ],
    ),
  "The origin and the effect of a match": (rows) =>
    assert.deepEqual(
      rows.map(({ key, reporter, before, after, first_change }) => [
        ...[key, reporter, before, after],
        Math.round(first_change),
      ]),
      [
        ["ann two", "first", 1000, 1016, 15],
        ["ann two", "first", 1000, 984, -15],
      ],
    ),
  "Matches recorded twice": (rows) => assert.deepEqual(rows, []),
  "Matches that were voided": (rows) =>
    assert.deepEqual(
      rows.map(({ number, status }) => [number, status]),
      [[1, "voided"]],
    ),
  "Players who gain rating against the same opponent": (rows) =>
    assert.deepEqual(
      rows.map(({ matches, gained }) => [matches, gained]),
      [[2, 30.5]],
    ),
  "A consistency check": (rows) => assert.deepEqual(rows, []),
  "Dead letters": (rows) => assert.deepEqual(rows, []),
};

describe("the tables of ladders", { skip: skipOnPostgres }, () => {
  let server: TestServer;
  let db: DatabaseSync;

  before(async () => {
    server = await startServer();
    const body = { id: "club", title: "Chess club" };
    await server.client.post("/api/v1/ladders", { token: server.operatorKey, body });
    for (const person of ["ann", "bob", "cleo"]) await post("/club/join", person);
    const match = { players: ["ann", "bob"], scores: [1, 0] };
    for (const key of ["one", "two", "three"]) await post("/club/matches", "ann", match, key);
    await post("/club/matches/1/void", "ann");
    // As an operator does: beside the running server.
    db = new DatabaseSync(join(server.folder, "openseat.db"), { readOnly: true });
  });
  after(async () => {
    db.close();
    await server.stop();
  });

  async function post(path: string, person: string, body?: Json, key?: string): Promise<void> {
    const answer = await server.client.post(`/api/v1/ladders${path}`, { token: tokenOf(person), body, key });
    assert.ok(answer.status < 300, answer.text);
  }

  test("[LD2] the page names every column of every table with its type, and no other", () => {
    assert.deepEqual(
      tables.map(({ name }) => name),
      ["players", "matches", "rating_history", "outbox"],
    );
    for (const { name, columns } of tables) {
      // Includes the generated column, which `table_info` omits.
      const made = db.prepare(`PRAGMA table_xinfo(${name})`).all() as { name: string; type: string }[];
      assert.deepEqual(
        columns,
        made.map((column) => `${column.name} ${column.type.split(" ")[0]}`),
      );
    }
  });

  test("every query of the page is known to this test", () => {
    const starts = Object.keys(answers);
    assert.equal(queries.length, starts.length);
    for (const [index, { about }] of queries.entries()) assert.ok(about.startsWith(starts[index]), about);
  });

  for (const { about, sql } of queries) {
    test(`[LD2][LD8] ${about}`, () => {
      const [, check] = Object.entries(answers).find(([start]) => about.startsWith(start))!;
      check(db.prepare(sql).all());
    });
  }
});
