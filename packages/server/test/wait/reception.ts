import assert from "node:assert/strict";
import { Desk } from "../queues/desk.ts";
import { Browser } from "../support/browser.ts";
import type { Answer, Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** The real server, with a separate line for each test, and browsers. */
export class Reception {
  readonly server: TestServer;
  readonly desk: Desk;
  readonly #browsers: Browser[] = [];
  #queues = 0;

  private constructor(server: TestServer) {
    this.server = server;
    this.desk = new Desk(server);
  }

  static async open(): Promise<Reception> {
    return new Reception(await startServer());
  }

  browser(headers?: Record<string, string>): Browser {
    const browser = new Browser(this.server.url, headers);
    this.#browsers.push(browser);
    return browser;
  }

  /** A line for the shop, with one seat by default; returns its id. */
  newQueue(fields: Json = {}): Promise<string> {
    return this.desk.newQueue({ id: `q${++this.#queues}`, returnAddresses: ["/shop"], ...fields });
  }

  /** A full line: a new person has to wait. */
  fullQueue(fields: Json = {}): Promise<{ queue: string; insider: Json }> {
    return this.desk.fullQueue({ id: `q${++this.#queues}`, returnAddresses: ["/shop"], ...fields });
  }

  async end(queue: string): Promise<void> {
    const { client, operatorKey: token } = this.server;
    assert.equal((await client.post(`/api/v1/queues/${queue}/end`, { token })).status, 200);
  }

  async close(): Promise<void> {
    for (const browser of this.#browsers) browser.close();
    await this.server.stop();
  }
}

/** Asserts an error page. */
export function assertErrorPage(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
  assert.match(answer.text, /<body data-status="error"/);
  assert.ok(answer.text.includes(`${status} · ${code}`), `${code} in ${answer.text.slice(-700)}`);
}
