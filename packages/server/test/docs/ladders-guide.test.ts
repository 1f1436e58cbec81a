import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";
import { readRepoFile } from "./reference.ts";

const guide = readRepoFile("docs/guides/ladders.md");

describe("docs/guides/ladders.md", { skip: skipOnPostgres }, () => {
  const { after, before, test } = testsNeeding(missingCurl);
  let server: TestServer;
  let folder: string;
  let printed: string;

  before(async () => {
    server = await startServer();
    // The guide reads the operator key from the data folder.
    folder = dirname(server.folder);
    printed = await runCommandsOf(guide, server.url, folder);
  });
  after(() => server?.stop());

  async function look(path: string): Promise<Json> {
    const answer = await server.client.get(`/api/v1/${path}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  /** Oldest first, once the arena's result has arrived. */
  async function matches(): Promise<Json[]> {
    await until("seven matches", async () => (await look("ladders/club/matches")).matches.length === 7);
    return (await look("ladders/club/matches")).matches.toReversed();
  }

  test("no command is refused", () => assert.doesNotMatch(printed, /"success":false/));

  test("[LD1] a match reported twice with the same key is one match, which waits for confirmation", () => {
    const repeated = /"id":"(\d+)","status":"pending"/.exec(printed)![1];
    const [, listed] = /"matches":\[\{"id":"(\d+)","turn":null,"status":"pending"/.exec(printed)!;
    const [, counted] = /"id":"(\d+)","status":"counted"/.exec(printed)!;
    assert.deepEqual([repeated, listed, counted], ["4", "4", "4"]);
  });

  test("[LD5] [LD8] [LD9] [LD12] [LD14] imported, reported, voided, confirmed and played matches are on the ladder", async () => {
    const all = await matches();
    assert.deepEqual(
      all.map(({ status }) => status),
      ["counted", "counted", "counted", "voided", "counted", "declined", "counted"],
    );
    assert.deepEqual(
      all.map(({ reportedBy, players: [a, b] }) => [reportedBy, a.name, b.name, a.score, b.score]),
      [
        ["import", "Ann", "Cleo", 3, 0],
        ["import", "Cleo", "Dan", 3, 2],
        ["import", "Dan", "Ann", 1, 1],
        [all[3].reportedBy, "Ann", "Bob", 3, 1],
        [all[4].reportedBy, "Ann", "Bob", 3, 2],
        [all[5].reportedBy, "Ann", "Bob", 2, 3],
        ["source", "Ann", "Bob", 1, 0],
      ],
    );
  });

  test("its table names every setting that cannot be changed", async () => {
    const [, section] = guide.split("## 1. Decide what cannot be changed later");
    const [table] = section.split("\n## ");
    const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell.match(/\w+/g)!);
    const { schemas } = (await server.client.get("/openapi.json")).body.components;
    const changeable = Object.keys(schemas.LadderChanges.properties);
    const fixed = Object.keys(schemas.NewLadder.properties).filter((name) => !changeable.includes(name));
    assert.deepEqual(named.toSorted(), fixed.toSorted());
  });

  test("[LD11] the exported matches can be imported elsewhere", async () => {
    const csv = readFileSync(join(folder, "matches.csv"), "utf8");
    assert.match(csv, /^match,turn,status,at,playerA,playerB,scoreA,scoreB,/);
    const token = tokenOf("maker");
    const body = { title: "Other", startRating: 1500 };
    const { ladder } = (await server.client.post("/api/v1/ladders", { token, body })).body.data;
    const headers = { "content-type": "text/csv" };
    const answer = await server.client.post(`/api/v1/ladders/${ladder.id}/imports`, {
      token,
      rawBody: csv,
      headers,
    });
    assert.equal(answer.status, 202, answer.text);
  });
});

describe("the settings of a ladder", () => {
  test("are all in docs/reference/http-api.md", async () => {
    const server = await startServer();
    try {
      const body = { title: "Everything" };
      const made = await server.client.post("/api/v1/ladders", { token: tokenOf("maker"), body });
      const [section] = readRepoFile("docs/reference/http-api.md")
        .split("## Every route of a ladder")[1]
        .split("\n## ");
      const named = new Set(
        [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) => cell.match(/\w+/g)),
      );
      const unnamed = Object.keys(made.body.data.ladder).filter((name) => !named.has(name));
      assert.deepEqual(unnamed.toSorted(), ["createdAt", "createdBy", "id", "title"]);
    } finally {
      await server.stop();
    }
  });
});
