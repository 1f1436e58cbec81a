import assert from "node:assert/strict";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { TwilioStandIn } from "../chat/twilio-stand-in.ts";
import { Stage } from "../host/stage.ts";
import { HeldLog } from "../support/held-log.ts";
import { Client } from "../support/http.ts";
import { issuerFlags } from "../support/tokens.ts";
import { type Asked, toldBy } from "../upgrade/written.ts";
import { live } from "./town-life.ts";

const publicUrl = "https://play.example.com";

/** A server that has used every feature, with its answers. */
export class Town {
  readonly twilio: TwilioStandIn;
  readonly asked: Asked[] = [];

  private constructor(twilio: TwilioStandIn) {
    this.twilio = twilio;
  }

  /** Creates it in this data folder and releases the folder afterwards. */
  static async found(folder: string): Promise<Town> {
    await foundSnapped(folder);
    const town = new Town(await TwilioStandIn.start());
    await town.serve(["--data", folder], (client) =>
      live(client, folder, {
        twilio: town.twilio,
        ask: async (path, call = {}) => {
          const answer = await client.call(path, call);
          town.asked.push({ path, call, told: toldBy(answer) });
          return answer;
        },
      }),
    );
    return town;
  }

  /** Runs a server on this store during `work`. */
  async serve(store: readonly string[], work: (client: Client) => Promise<void>): Promise<void> {
    const { accountSid, authToken, number, url } = this.twilio;
    const sms = ["--twilio-account-sid", accountSid, "--twilio-auth-token", authToken, "--sms-from", number];
    const flags = ["--port", "0", "--no-demo", "--public-url", publicUrl, "--twilio-api", url];
    const config = loadConfig([...flags, ...sms, ...issuerFlags, ...store], {});
    const server = await startOpenseat(config, pino({ level: "silent" }));
    const client = new Client(server.url);
    this.twilio.hookTo(server.url, `${publicUrl}/api/v1/chat/sms`);
    try {
      await work(client);
    } finally {
      client.close();
      await server.stop();
    }
  }

  /** All requests get the recorded answers, and repeated keys too. */
  async assertSame(client: Client): Promise<void> {
    assert.ok(this.asked.some(({ told }) => told.replayed === "true"));
    for (const { path, call, told } of this.asked)
      assert.deepEqual(toldBy(await client.call(path, call)), told, path);
  }

  close(): Promise<void> {
    return this.twilio.stop();
  }
}

/** A game with a snapshot, which a server takes a while to write. */
async function foundSnapped(folder: string): Promise<void> {
  const stage = new Stage({ log: new HeldLog(await SqliteLog.open(folder)), snapshotTailMin: 1 });
  await stage.create("snapped");
  for (const person of ["ann", "bob"]) await stage.join("snapped", person);
  await stage.stop();
}
