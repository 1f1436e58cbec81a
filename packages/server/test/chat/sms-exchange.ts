import { join } from "node:path";
import { pino } from "pino";
import { type Openseat, startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { Client } from "../support/http.ts";
import { tempFolder } from "../support/server.ts";
import { storeFlags } from "../support/store.ts";
import { issuerFlags } from "../support/tokens.ts";
import { TwilioStandIn } from "./twilio-stand-in.ts";

const publicUrl = "https://play.example.com";
const operatorKey = "operator_of_the_exchange";

/** The whole server with a stand-in of Twilio beside it, and everything that it logs. */
export class SmsExchange {
  readonly twilio: TwilioStandIn;
  readonly operatorKey = operatorKey;
  /** All that was ever logged, at every level. */
  readonly logged: string[] = [];
  client!: Client;
  url = "";
  readonly #folder = tempFolder();
  #server!: Openseat;

  readonly #flags: readonly string[];

  private constructor(twilio: TwilioStandIn, flags: readonly string[]) {
    this.twilio = twilio;
    this.#flags = flags;
  }

  /** With these flags besides. */
  static async open(...flags: string[]): Promise<SmsExchange> {
    const exchange = new SmsExchange(await TwilioStandIn.start(), flags);
    await exchange.#start();
    return exchange;
  }

  /** Stops the server, and starts another on the same folder. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#start();
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.twilio.stop();
    this.#folder.remove();
  }

  async #start(): Promise<void> {
    const { accountSid, authToken, number, url } = this.twilio;
    const data = join(this.#folder.path, "data");
    const flags = ["--port", "0", "--data", data, "--no-demo", "--public-url", publicUrl, ...issuerFlags];
    const twilio = [
      "--twilio-account-sid",
      accountSid,
      "--twilio-auth-token",
      authToken,
      "--sms-from",
      number,
    ];
    const given = [
      ...flags,
      ...this.#flags,
      ...(await storeFlags(data)),
      ...twilio,
      "--twilio-api",
      url,
      "--operator-key",
      operatorKey,
    ];
    const logger = pino({ level: "trace" }, { write: (line: string) => void this.logged.push(line) });
    this.#server = await startOpenseat(loadConfig(given, {}), logger);
    this.url = this.#server.url;
    this.client = new Client(this.url);
    this.twilio.hookTo(this.url, `${publicUrl}/api/v1/chat/sms`);
  }

  async #stop(): Promise<void> {
    this.client.close();
    await this.#server.stop();
  }
}
