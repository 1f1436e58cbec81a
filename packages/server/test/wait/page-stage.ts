import Fastify, { type FastifyInstance } from "fastify";
import type { WaitingRooms } from "../../src/app/queues/waiting-rooms.ts";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import { gateRoutes } from "../../src/transport/gate/gate-routes.ts";
import { knowBasePath } from "../../src/transport/http/headers/base-path.ts";
import { compileSchema } from "../../src/transport/http/validation.ts";
import { ConcurrencyLimit } from "../../src/transport/limits/concurrency.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { waitRoutes } from "../../src/transport/wait/wait-routes.ts";
import { WaitingStage } from "../queues/waiting-stage.ts";
import { testAddresses } from "../support/addresses.ts";
import { Browser } from "../support/browser.ts";
import type { Answer } from "../support/http.ts";
import { answered } from "../support/test-clock.ts";

export interface PageStageOptions {
  readonly stateEveryMs?: number;
  readonly live?: ConcurrencyLimit;
}

/** The waiting page and the gate over real HTTP, on the clock and the log of a `WaitingStage`. */
export class PageStage extends WaitingStage {
  readonly app: FastifyInstance = Fastify({ trustProxy: true, forceCloseConnections: true });
  readonly faults: unknown[] = [];
  /** The opened streams, as subscribers of the line. */
  readonly attendants: Parameters<WaitingRooms["follow"]>[1][] = [];
  readonly #browsers: Browser[] = [];
  url = "";

  static async open({
    stateEveryMs,
    live = new ConcurrencyLimit({ max: 100, perAddressMax: 100 }),
  }: PageStageOptions = {}): Promise<PageStage> {
    const stage = new PageStage();
    const { app, clock, rooms } = stage;
    const waiting: WaitingRooms = {
      ...rooms,
      follow(id, attendant) {
        stage.attendants.push(attendant);
        return rooms.follow(id, attendant);
      },
    };
    const now = () => clock.now();
    const secret = "a secret of the guests, of thirty-two characters";
    const keys = { operatorKey: "the operator's key", serviceKey: "the service's key" };
    const authenticator = new Authenticator({ guestSecret: secret, ...keys, now });
    app.setValidatorCompiler(compileSchema);
    identifyAddresses(app, testAddresses());
    knowBasePath(app, "");
    gateRoutes(app, { sessions: waiting.sessions, publicUrl: undefined, now });
    await waitRoutes(app, {
      ...{ waiting, authenticator, live, now, stateEveryMs },
      publicUrl: undefined,
      noteFault: (error) => void stage.faults.push(error),
    });
    stage.url = await app.listen({ port: 0, host: "127.0.0.1" });
    return stage;
  }

  browser(headers?: Record<string, string>): Browser {
    const browser = new Browser(this.url, headers);
    this.#browsers.push(browser);
    return browser;
  }

  /** Admits the first person only. */
  async taken(queue: string): Promise<void> {
    const { position } = await this.good(this.enter(queue, "insider"));
    const insider = { role: "person", by: "insider" } as const;
    await this.good(this.rooms.sessions.claim(insider, { token: position.token }));
  }

  /** The state of the place shown in this browser. */
  async told(browser: Browser, queue: string): Promise<Answer["body"]> {
    return (await browser.get(`/wait/${queue}/state`)).body.data;
  }

  override async stop(): Promise<void> {
    for (const browser of this.#browsers) browser.close();
    await answered(this.app.close(), "the end of the server");
    await super.stop();
  }
}
