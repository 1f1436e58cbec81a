import assert from "node:assert/strict";
import { join } from "node:path";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { tempFolder } from "../support/folder.ts";
import { missingCurl } from "../support/guide-shell.ts";
import { Client, until } from "../support/http.ts";
import { raisedLimits } from "../support/limits.ts";
import { Machine } from "../support/machine.ts";
import { testsNeeding } from "../support/needs.ts";
import { inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";
import { OperationsPage } from "./operations-page.ts";

const { test } = testsNeeding(missingCurl);
const hour = 3_600_000;
const days = 40 * 24 * hour;
const token = tokenOf("ann", { exp: inSeconds(400 * 24 * 3_600) });

async function newGame(client: Client): Promise<string> {
  const made = await client.post("/api/v1/games", { token, body: { title: "A game", maxPlayers: 4 } });
  assert.equal(made.status, 201, made.text);
  return made.body.data.game.id;
}

test("[CK1] [CK2] [CK3] [CK4] docs/operations/wrong-clock.md: its output is correct", async () => {
  const page = new OperationsPage("wrong-clock");
  const folder = tempFolder();
  const machine = new Machine();
  const lines: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  const flags = [
    "--port",
    "0",
    "--data",
    join(folder.path, "data"),
    "--no-demo",
    ...raisedLimits,
    ...issuerFlags,
  ];
  const running = async (work: (client: Client, url: string) => Promise<void>) => {
    const openseat = await startOpenseat(loadConfig(flags, {}), logger, { clock: machine.boot() });
    const client = new Client(openseat.url);
    try {
      await work(client, openseat.url);
    } finally {
      client.close();
      await openseat.stop();
    }
  };
  const untilSaid = (words: string) => until(`the log says: ${words}`, () => lines.join("").includes(words));
  let game = "";
  try {
    await running(async (client, url) => {
      machine.set(2 * hour);
      await newGame(client);
      machine.set(-2 * hour);
      await untilSaid("the server's time is ahead of the clock");
      const seen = await page.run("date", { folder: folder.path, here: { "http://localhost:8080": url } });
      const [, clock, ahead] =
        /^(\d+)\n(?:openseat_\S+ \S+\n)*?openseat_clock_ahead_seconds (\S+)$/m.exec(seen) ?? [];
      assert.ok(Math.abs(Number(clock) - Date.now() / 1000) < 600, seen);
      assert.ok(Number(ahead) > 7_000, seen);
      const shown = Number(/^openseat_clock_seconds (\S+)$/m.exec(seen)?.[1]);
      assert.ok(shown - Number(clock) > 7_000, seen);
      assert.match(seen, /^openseat_rooms_ahead_total 0$/m);

      machine.set(days);
      game = await newGame(client);
      machine.set(-days);
      await untilSaid("the clock was set back");
    });
    await running(async (client) => {
      assert.equal((await client.post(`/api/v1/games/${game}/join`, { token })).status, 200);
      await untilSaid("a clock that was ahead has written to a room");
    });
    page.assertDone(lines.join(""));
  } finally {
    folder.remove();
  }
});
