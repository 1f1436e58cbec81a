import assert from "node:assert/strict";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { tempFolder } from "../support/folder.ts";
import { missingCurl } from "../support/guide-shell.ts";
import { assertRefused, until, within } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { issuerFlags } from "../support/tokens.ts";
import { OperationsPage } from "./operations-page.ts";

const { test } = testsNeeding(missingCompiler, missingCurl);

test("[LG10] docs/operations/hanging-disk.md: its output is correct, and the stop ends", {
  skip: skipFailingFlushes,
}, async () => {
  const page = new OperationsPage("hanging-disk");
  const folder = tempFolder();
  const disk = failingFlushes(folder.path);
  const flags = ["--data", join(folder.path, "data"), ...issuerFlags];
  const server = await ChildServer.start(flags, disk.environment);
  const client = server.client();
  const here = { "http://localhost:8080": server.url };
  let seen = "";
  const untilSeen = (reason: RegExp) =>
    until(`/readyz says ${reason}`, async () => {
      const { text } = await client.get("/readyz");
      if (!reason.test(text)) return false;
      seen += text;
      return true;
    });
  try {
    const [game, other] = [await client.newGame({ maxPlayers: 100 }), await client.newGame()];
    disk.hang();
    const joining = client.join(game, "ann", "a");
    await untilSeen(/not answered yet/);
    assert.equal((await joining).status, 503);
    await untilSeen(/disk has not answered/);
    const shown = await page.run("readyz", { folder: folder.path, here });
    assert.match(shown, /"not ready".*disk has not answered/);
    assert.match(shown, /^openseat_database_up 0$/m);
    assertRefused(await client.join(game, "late", "l"), 503, "log.unavailable");
    assert.equal((await client.look(other)).game.id, other, "what is in memory is shown");

    disk.heal();
    const again = await until("the join is taken", async () => {
      const answer = await client.join(game, "ann", "a");
      return answer.status === 200 && answer;
    });
    assert.equal(again.body.data.participant.userId, "ann");
    await until("a server that is ready", async () => (await client.get("/readyz")).status === 200);

    disk.hang();
    const lost = client.join(game, "bob", "b").catch(() => undefined);
    await untilSeen(/has not answered/);
    await page.run("kill", { folder: folder.path });
    assert.deepEqual(await within("the end", server.ended), { code: null, signal: "SIGKILL" });
    assert.match(server.stderr, /The stop took longer than 15 seconds/);
    assert.notEqual((await lost)?.status, 200);
    page.assertDone(seen + server.stdout);
    const next = await ChildServer.start(flags);
    const people = (await next.client().participants(game)).map(({ userId }) => userId);
    await next.kill();
    assert.ok(people.includes("ann"), "an acknowledged change is lost");
  } finally {
    client.close();
    await server.kill();
    folder.remove();
  }
});
