import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";
import { TwilioStandIn } from "./twilio-stand-in.ts";

const publicUrl = "https://play.example.com";

/** The whole server with a stand-in for Twilio, and everything that it logs. */
export class SmsExchange {
  readonly twilio: TwilioStandIn;
  /** Everything logged, at every level. */
  readonly logged: string[] = [];
  server!: TestServer;

  private constructor(twilio: TwilioStandIn) {
    this.twilio = twilio;
  }

  /** With these additional flags. */
  static async open(...flags: string[]): Promise<SmsExchange> {
    const exchange = new SmsExchange(await TwilioStandIn.start());
    const { accountSid, authToken, number, url } = exchange.twilio;
    const twilio = [
      "--twilio-account-sid",
      accountSid,
      "--twilio-auth-token",
      authToken,
      "--twilio-api",
      url,
    ];
    const given = [...issuerFlags, "--public-url", publicUrl, ...twilio, "--sms-from", number, ...flags];
    exchange.#runs(await startServer(given, undefined, { onLog: (line) => void exchange.logged.push(line) }));
    return exchange;
  }

  get client(): TestServer["client"] {
    return this.server.client;
  }

  /** Stops the server and starts another on the same folder. */
  async restart(): Promise<void> {
    this.#runs(await this.server.restart());
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.twilio.stop();
  }

  #runs(server: TestServer): void {
    this.server = server;
    this.twilio.hookTo(server.url, `${publicUrl}/api/v1/chat/sms`);
  }
}
