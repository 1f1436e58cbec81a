import assert from "node:assert/strict";
import { cpSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { assertRefused, type Client, until } from "../support/http.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

const skip =
  process.platform === "win32" && "files that are open cannot be removed here, which is what this is about";

async function onFolder(
  work: (client: Client, server: ChildServer, flags: readonly string[], data: string) => Promise<void>,
): Promise<void> {
  const root = diskFolder();
  const data = join(root.path, "data");
  const flags = ["--data", data, ...issuerFlags];
  try {
    await ChildServer.running(flags, (client, server) => work(client, server, flags, data));
  } finally {
    root.remove();
  }
}

const untilReadyzIs = (client: Client, status: number) =>
  until(`/readyz is ${status}`, async () => (await client.get("/readyz")).status === status);

test(
  "[LG11] [LG6] the data folder is replaced: nothing is acknowledged, /readyz and the log say why, and another server may run on the other one",
  {
    skip,
  },
  () =>
    onFolder(async (client, server, flags, data) => {
      const game = await client.newGame({ maxPlayers: 100 });
      assert.equal((await client.join(game, "ann", "a")).status, 200);
      renameSync(data, `${data}-away`);
      await until("a copy in which no file is half written", () => {
        cpSync(`${data}-away`, data, { recursive: true });
        const [one, other] = [`${data}-away`, data].map((folder) =>
          readFileSync(join(folder, "head.json"), "utf8"),
        );
        return one === other;
      });
      assertRefused(await client.join(game, "bob", "b"), 503, "log.unavailable");
      const unready = await client.get("/readyz");
      assert.equal(unready.status, 503);
      const lost = /data folder was removed or replaced while the server was running \(openseat\.db\)/;
      assert.match(unready.body.reason, lost);
      await until("a line in the log", () => lost.test(server.stdout));
      await (await ChildServer.start(flags)).kill();
      assertRefused(await client.join(game, "bob", "b"), 503, "log.unavailable");

      rmSync(data, { recursive: true });
      renameSync(`${data}-away`, data);
      await untilReadyzIs(client, 200);
      const joined = await until("the join", async () => {
        const again = await client.join(game, "bob", "b");
        return again.status === 200 && again;
      });
      assert.equal(joined.body.data.participant.userId, "bob");
      assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    }),
);

test(
  "[LG6] after the lock file is removed, a second server is refused with a sentence, and the first keeps refusing",
  {
    skip,
  },
  () =>
    onFolder(async (client, server, flags, data) => {
      const game = await client.newGame({ maxPlayers: 100 });
      rmSync(join(data, "owner.lock"));
      await untilReadyzIs(client, 503);
      assertRefused(await client.join(game, "ann", "a"), 503, "log.unavailable");
      for (const attempt of ["once", "again"]) {
        const second = await ChildServer.run(["--port", "0", ...flags]);
        assert.equal(second.code, 1, attempt);
        assert.match(second.stderr, /has lost its lock file \(owner\.lock\).*Stop that one first\.\n$/);
      }
      assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
      await ChildServer.running(flags, async (next) => {
        assert.equal((await next.join(game, "ann", "a")).status, 200);
      });
    }),
);
