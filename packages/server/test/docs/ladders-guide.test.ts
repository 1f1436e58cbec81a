import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { readRepoFile } from "./reference.ts";

const guide = readRepoFile("docs/guides/ladders.md");

describe("the guide to ladders", () => {
  const { after, before, test } = testsNeeding(missingCurl);
  let server: TestServer;
  let printed: string;
  const folder = tempFolder();

  before(async () => {
    server = await startServer();
    printed = await runCommandsOf(guide, server.url, folder.path);
  });
  after(async () => {
    await server?.stop();
    folder.remove();
  });

  async function look(path: string): Promise<Json> {
    const answer = await server.client.get(`/api/v1/${path}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  /** The id that the server gave the ladder of the guide. */
  function club(): string {
    return /"ladder":\{"id":"([^"]+)","title":"Table tennis club"/.exec(printed)![1];
  }

  /** From the oldest to the newest, when the import and the arena's result are in. */
  async function matches(): Promise<Json[]> {
    const path = `ladders/${club()}/matches`;
    await until("seven matches", async () => (await look(path)).matches.length === 7);
    return (await look(path)).matches.toReversed();
  }

  test("nothing in it is refused", () => {
    assert.doesNotMatch(printed, /"success":false/);
    assert.match(printed, /"title":"Table tennis club"/);
  });

  test("[LD1] a match that is reported twice with one key is one, with the ratings that it says", () => {
    assert.equal([...printed.matchAll(/"match":\{"id":"1","status":"pending"/g)].length, 2);
    const counted = [
      ...printed.matchAll(/"match":\{"id":"1","status":"counted".*?"after":(\d+)\}.*?"after":(\d+)\}/g),
    ];
    assert.deepEqual(
      counted.map(([, ann, bob]) => [ann, bob]),
      [["1016", "984"]],
    );
  });

  test("[LD5][LD8][LD9][LD12][LD14] what was reported, taken back, confirmed, imported and played is on the ladder", async () => {
    const all = await matches();
    assert.deepEqual(
      all.slice(0, 3).map(({ status }) => status),
      ["voided", "declined", "counted"],
    );
    const later = all
      .slice(3)
      .map(({ reportedBy, players: [a, b] }) => [reportedBy, a.name, b.name, a.score, b.score]);
    assert.deepEqual(later.toSorted(), [
      ["import", "Cleo", "Dan", 3, 0],
      ["import", "Dan", "Eve", 3, 2],
      ["import", "Eve", "Cleo", 1, 1],
      ["source", "Ann", "Bob", 1, 0],
    ]);
  });

  test("[AR12] its arena is split into the tiers that it says", async () => {
    const { arenas } = await look("arenas");
    const { id } = arenas.find(({ title }: Json) => title === "League: Masters");
    const { arena } = await look(`arenas/${id}`);
    assert.deepEqual([arena.ladder, arena.tier], [club(), { name: "Masters", from: 1100, below: null }]);
  });

  test("[LD11] the matches that it takes out can be imported elsewhere", async () => {
    const csv = readFileSync(join(folder.path, "matches.csv"), "utf8");
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
