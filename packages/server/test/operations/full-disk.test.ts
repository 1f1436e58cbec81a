import assert from "node:assert/strict";
import { dirname } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { missingCurl } from "../support/guide-shell.ts";
import { type Client, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { cannotMount, onSmallDisk } from "../support/small-disk.ts";
import { issuerFlags } from "../support/tokens.ts";
import { OperationsPage } from "./operations-page.ts";

const { test } = testsNeeding(missingCurl);

const running = <T>(data: string, work: (client: Client, server: ChildServer) => Promise<T>) =>
  ChildServer.running(["--data", data, ...issuerFlags], work);

test(
  "[LG2] [LG3] docs/operations/full-disk.md: its output is correct, and a moved folder has everything",
  {
    skip: cannotMount,
  },
  (context) =>
    onSmallDisk(context, async ({ data, fail, heal }) => {
      const page = new OperationsPage("full-disk");
      const folder = dirname(data);
      const larger = tempFolder();
      const acknowledged: string[] = [];
      let next = 0;
      const joinAll = async (client: Client, game: string) => {
        const people = range(20).map(() => `p${next++}`);
        const statuses = await Promise.all(
          people.map(async (person) => (await client.join(game, person, `key of ${person}`)).status),
        );
        acknowledged.push(...people.filter((_, index) => statuses[index] === 200));
        return statuses;
      };
      const game = await running(data, async (client, server) => {
        const game = await client.newGame({ maxPlayers: 1_000_000 });
        const untilRefused = () =>
          until("a refusal", async () => (await joinAll(client, game)).every((status) => status === 503));
        fail();
        await untilRefused();
        const writing = range(30).map(() => joinAll(client, game));
        for (const _ of range(30))
          assert.equal(
            (await client.look(game)).game.currentPlayers,
            acknowledged.length,
            "rooms can be read",
          );
        await Promise.all(writing);
        const seen = await page.run("df", { folder, here: { "http://localhost:8080": server.url } });
        assert.match(seen, /100%/);
        assert.match(seen, /"not ready"/);
        heal();
        await until("a join that is taken", async () => (await joinAll(client, game)).includes(200));
        await until("a server that is ready", async () => (await client.get("/readyz")).status === 200);

        fail();
        await untilRefused();
        assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
        heal();
        fail();
        const started = await ChildServer.run(["--port", "0", "--data", data]);
        assert.equal(started.code, 1, started.stderr);
        assert.match(started.stderr, /no space left|disk is full/);
        await page.run("cp", { folder, here: { "/mnt/larger": larger.path } });
        page.assertDone(seen);
        return game;
      });
      await running(`${larger.path}/data`, async (client) => {
        assert.equal((await client.get("/readyz")).status, 200);
        const people = (await client.participants(game)).map(({ userId }) => userId);
        assert.deepEqual(
          acknowledged.filter((person) => !people.includes(person)),
          [],
        );
        assert.ok((await joinAll(client, game)).every((status) => status === 200));
      });
      larger.remove();
    }),
);
