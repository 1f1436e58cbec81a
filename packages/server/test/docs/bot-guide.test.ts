import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { until, within } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { readRepoFile } from "./reference.ts";

const { after, before, describe, test } = testsNeeding(missingCurl);
const guide = readRepoFile("docs/guides/write-a-bot.md");

describe("docs/guides/write-a-bot.md", () => {
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

  test("no command is refused", () => assert.doesNotMatch(printed, /"success":false/));

  test("two of its bots play in its arena, lose, join again, and leave their seats at the end", async () => {
    const file = join(folder.path, "bot.ts");
    const client = new URL("../../../client/src/index.ts", import.meta.url).href;
    writeFileSync(file, blocksOf(guide, "ts")[0].replace("@openseat/client", client));
    const body = { title: "Bots", game: "tic-tac-toe", moveTimeoutSeconds: 30 };
    const made = await server.client.post("/api/v1/arenas", { token: server.serviceKey, body });
    const { id } = made.body.data.arena;
    const state = async () => (await server.client.get(`/api/v1/arenas/${id}`)).body.data.state;
    const bots = ["Ada", "Bob"].map((name) => run(file, [id, name, server.url]));
    const ended = bots.map((bot) => new Promise((resolve) => bot.once("close", resolve)));
    try {
      await until("three matches", async () => {
        const { matches } = (await server.client.get(`/api/v1/arenas/${id}/matches`)).body.data;
        return matches.length >= 3 && matches.every(({ reason }: { reason: string }) => reason === "played");
      });
      for (const bot of bots) bot.kill("SIGTERM");
      await within("the end of both", Promise.all(ended));
      assert.deepEqual((await state()).players, []);
    } finally {
      for (const bot of bots) bot.kill("SIGKILL");
    }
  });
});

function run(file: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, THINK_MS_MAX: "0" };
  return spawn(process.execPath, [file, ...args], { stdio: ["ignore", "ignore", "inherit"], env });
}
