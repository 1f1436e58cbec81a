import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { assertRefused, Client, metric, until } from "../support/http.ts";
import { raisedLimits } from "../support/limits.ts";
import { Machine } from "../support/machine.ts";
import { tempFolder } from "../support/server.ts";
import { secretsOf } from "../support/store.ts";
import { inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

interface Running {
  readonly client: Client;
  readonly operatorKey: string;
  readonly warnings: string[];
}

/** Runs a server on the folder with the machine's clock during `work`. It uses a folder because PostgreSQL has its own clock. */
async function running(
  machine: Machine,
  data: string,
  work: (server: Running) => Promise<void>,
): Promise<void> {
  const warnings: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  const flags = ["--port", "0", "--data", data, "--no-demo", ...raisedLimits, ...issuerFlags];
  const openseat = await startOpenseat(loadConfig(flags, {}), logger, { clock: machine.boot() });
  const client = new Client(openseat.url);
  try {
    await work({ client, warnings, operatorKey: (await secretsOf(data)).operatorKey });
  } finally {
    client.close();
    await openseat.stop();
  }
}

async function onMachine(work: (machine: Machine, data: string) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  try {
    await work(new Machine(), join(folder.path, "data"));
  } finally {
    folder.remove();
  }
}

test("[CK4] after a clock that ran two hours ahead is corrected, tokens are valid at once, even after a restart", () =>
  onMachine(async (machine, data) => {
    let game = "";
    const token = tokenOf("ann", { exp: inSeconds(3_600) });
    const assertGood = async (client: Client, guest: string) => {
      for (const good of [token, guest])
        assert.equal((await client.get(`/api/v1/games/${game}/can-join`, { token: good })).status, 200);
    };
    let guest = "";
    await running(machine, data, async ({ client, warnings }) => {
      machine.set(2 * hour);
      guest = (await client.post("/api/v1/guests")).body.data.token;
      const made = { token: guest, body: { title: "Game", maxPlayers: 4 } };
      game = (await client.post("/api/v1/games", made)).body.data.game.id;
      assert.equal((await client.join(game, "bob")).status, 401, "by the clock it has expired");
      const late = { token: tokenOf("ann", { exp: inSeconds(4 * 3_600) }) };
      assert.equal((await client.post(`/api/v1/games/${game}/join`, late)).status, 200);
      machine.set(-2 * hour);
      await assertGood(client, guest);
      await until("a warning", async () => warnings.length > 0);
      const ahead = await metric(client, "openseat_clock_ahead_seconds");
      assert.ok(ahead > 7_100 && ahead <= 7_200, `${ahead} s ahead`);
      const shown = await metric(client, "openseat_clock_seconds");
      assert.ok(Math.abs(shown - Date.now() / 1000 - ahead) < 5, "the time that rooms use");
    });
    await running(machine, data, async ({ client, warnings }) => {
      assert.ok(Math.abs(await metric(client, "openseat_clock_ahead_seconds")) < 1);
      await assertGood(client, guest);
      assert.ok(
        (await metric(client, "openseat_clock_ahead_seconds")) > 7_000,
        "the game's entry moved the server's time",
      );
      await assertGood(client, guest);
      await until("a warning", async () => warnings.length > 0);
      await client.newGame();
      assert.deepEqual(
        warnings.map((text) => text.split(",")[0]),
        ["the server's time is ahead of the clock"],
        "once, not per request",
      );
    });
  }));

test("[CK2] [CK3] after a jump of days a queue continues at its rate, and other rooms use the clock's time", () =>
  onMachine(async (machine, data) => {
    const queue = { id: "shop", title: "Shop", maxActive: 1_000, rate: 4, burst: 2 };
    let people = 0;
    const enter = async (client: Client) => {
      const person = `p${people++}`;
      const token = tokenOf(person, { exp: inSeconds(400 * 24 * 3_600) });
      const entered = await client.post("/api/v1/queues/shop/positions", { token });
      assert.equal(entered.status, 201, entered.text);
      return { token, id: entered.body.data.position.id as string };
    };
    const assertFlows = async (client: Client) => {
      const entered = [];
      for (let count = 0; count < 6; count++) entered.push(await enter(client));
      const [{ token, id }] = entered.slice(-1);
      await until("the last of them is admitted", async () => {
        const { body } = await client.get(`/api/v1/positions/${id}`, { token });
        return body.data.position.status === "ADMITTED";
      });
    };
    await running(machine, data, async ({ client, operatorKey, warnings }) => {
      machine.set(40 * day);
      assert.equal((await client.post("/api/v1/queues", { token: operatorKey, body: queue })).status, 201);
      await assertFlows(client);
      machine.set(-40 * day);
      await assertFlows(client);
      await until("a warning", async () => warnings.length > 0);
      assert.match(warnings[0], /^the clock was set back, and the server's time with it/);
    });
    await running(machine, data, async ({ client, warnings }) => {
      await assertFlows(client);
      assert.ok((await metric(client, "openseat_rooms_ahead_total")) >= 1);
      assert.ok(Math.abs(await metric(client, "openseat_clock_ahead_seconds")) < 1);
      await client.newGame({ endTime: new Date(Date.now() + hour).toISOString() });
      const past = { title: "Game", maxPlayers: 2, endTime: new Date(Date.now() - hour).toISOString() };
      const refused = await client.post("/api/v1/games", { token: tokenOf("ann"), body: past });
      assertRefused(refused, 400, "room.end-in-past");
      assert.deepEqual(
        warnings.map((text) => text.split(":")[0]),
        ["a clock that was ahead has written to a room"],
      );
    });
  }));
