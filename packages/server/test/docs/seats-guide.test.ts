import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { blocksOf, missingCurl, runCommands } from "../support/guide-shell.ts";
import { testsNeeding } from "../support/needs.ts";
import { waitMsMax } from "../support/patience.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skipOnPostgres } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";
import { readRepoFile } from "./reference.ts";

const { after, before, describe, test } = testsNeeding(missingCurl);
const guide = readRepoFile("docs/guides/add-seats.md");

/** The variables with which the guide starts the server. */
const exported = (name: string) => new RegExp(`^export ${name}=(\\S+)$`, "m").exec(guide)![1];
const [issuer, secret] = [exported("OPENSEAT_ISSUER"), exported("OPENSEAT_ISSUER_SECRET")];

describe("docs/guides/add-seats.md", { skip: skipOnPostgres }, () => {
  let server: TestServer;
  let printed: string;

  before(async () => {
    server = await startServer(["--issuer", issuer, "--issuer-secret", secret]);
    const place = {
      folder: dirname(server.folder),
      here: { "http://localhost:8080": server.url },
      standIns: { node: `"${process.execPath}"` },
    };
    ({ stdout: printed } = await runCommands(blocksOf(guide).join("echo\n"), place));
  });
  after(() => server?.stop());

  test("no command is refused", () => assert.doesNotMatch(printed, /"success":false/));

  test("[GM8] two people have seats, and the third waits and gets the seat of the one who leaves", () => {
    assert.match(printed, /"yourPosition":1.*"userId":"eve".*"status":"WAITING"/);
    const present = /\{"participants":\[.*?\]/.exec(printed)![0];
    assert.deepEqual(
      [...present.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name),
      ["Bob", "Eve"],
    );
  });

  test("[ID1] the repeated join is replayed", () => assert.match(printed, /^idempotent-replayed: true/im));

  test("[GM9] the events begin with the whole game", () =>
    assert.match(printed, /^data: \{"type":"view".*"currentPlayers":2/m));

  test("its program joins and leaves", async () => {
    const made = await server.client.post("/api/v1/games", {
      token: server.serviceKey,
      body: { title: "Another table", maxPlayers: 2 },
    });
    const { id } = made.body.data.game;
    const file = join(dirname(server.folder), "player.ts");
    const client = new URL("../../../client/src/index.ts", import.meta.url).href;
    writeFileSync(file, blocksOf(guide, "ts")[0].replace("@openseat/client", client));
    const token = tokenOf("zoe", { iss: issuer }, secret);
    const { stdout } = await promisify(execFile)(process.execPath, [file, server.url, id, token], {
      timeout: waitMsMax,
    });
    assert.match(stdout, /^ACTIVE$/m);
    const { participants } = (await server.client.get(`/api/v1/games/${id}/participants`)).body.data;
    assert.deepEqual(
      participants.map(({ userId, status }: { userId: string; status: string }) => [userId, status]),
      [["zoe", "LEFT"]],
    );
  });
});
