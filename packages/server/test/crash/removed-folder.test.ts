import assert from "node:assert/strict";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { assertRefused, until } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

const skip =
  process.platform === "win32" && "files that are open cannot be removed here, which is what this is about";

test("[LG11] [LG6] the data folder is replaced: nothing is acknowledged, /readyz and the log say why, and another server may run on the other one", {
  skip,
}, async () => {
  const root = tempFolder();
  const data = join(root.path, "data");
  const flags = ["--data", data, ...issuerFlags];
  const server = await ChildServer.start(flags);
  const client = server.client();
  try {
    const game = await client.newGame({ maxPlayers: 100 });
    assert.equal((await client.join(game, "ann", "a")).status, 200);
    renameSync(data, `${data}-away`);
    cpSync(`${data}-away`, data, { recursive: true });
    assertRefused(await client.join(game, "bob", "b"), 503, "log.unavailable");
    const unready = await client.get("/readyz");
    assert.equal(unready.status, 503);
    const lost = /data folder was removed or replaced while the server was running \(openseat\.db\)/;
    assert.match(unready.body.reason, lost);
    await until("a line in the log", () => lost.test(server.stdout));
    const other = await ChildServer.start(flags);
    await other.kill();
    assertRefused(await client.join(game, "bob", "b"), 503, "log.unavailable");

    rmSync(data, { recursive: true });
    renameSync(`${data}-away`, data);
    await until("a server that is ready", async () => (await client.get("/readyz")).status === 200);
    const joined = await until("the join", async () => {
      const again = await client.join(game, "bob", "b");
      return again.status === 200 && again;
    });
    assert.equal(joined.body.data.participant.userId, "bob");
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
  } finally {
    client.close();
    await server.kill();
    root.remove();
  }
});

test("[LG6] a removed lock file: a second server is refused with a sentence, and the first goes on refusing", {
  skip,
}, async () => {
  const root = tempFolder();
  const data = join(root.path, "data");
  const flags = ["--data", data, ...issuerFlags];
  const server = await ChildServer.start(flags);
  const client = server.client();
  try {
    const game = await client.newGame({ maxPlayers: 100 });
    rmSync(join(data, "owner.lock"));
    await until("a server that is not ready", async () => (await client.get("/readyz")).status === 503);
    assertRefused(await client.join(game, "ann", "a"), 503, "log.unavailable");
    for (const attempt of ["once", "again"]) {
      const second = await ChildServer.run(["--port", "0", ...flags]);
      assert.equal(second.code, 1, attempt);
      assert.match(second.stderr, /has lost its lock file \(owner\.lock\).*Stop that one first\.\n$/);
    }
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    const next = await ChildServer.start(flags);
    try {
      const nextClient = next.client();
      assert.equal((await nextClient.join(game, "ann", "a")).status, 200);
      nextClient.close();
    } finally {
      await next.kill();
    }
  } finally {
    client.close();
    await server.kill();
    root.remove();
  }
});
