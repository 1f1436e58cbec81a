import assert from "node:assert/strict";
import { join } from "node:path";
import { Visitor } from "../../../../packages/gate/test/support/visitor.ts";
import { ChildServer } from "../../../../packages/server/test/support/child-server.ts";
import { diskFolder } from "../../../../packages/server/test/support/folder.ts";
import { until } from "../../../../packages/server/test/support/http.ts";
import { freePort } from "../../../../packages/server/test/support/ports.ts";
import { secretsOf } from "../../../../packages/server/test/support/store.ts";
import type { Example, ExampleProject } from "./example-project.ts";
import { SiteProcess } from "./site-process.ts";

const visitorsCount = 300;
const [rate, burst] = [40, 20];
/** When this many are in, Openseat is killed. */
const inBeforeOutage = 100;
const cookieName = "openseat_admission_shop";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** 300 visitors of an example, and an Openseat that is killed among them. */
export class Sale {
  readonly #folder = diskFolder();
  readonly #whenAway: "closed" | "open";
  readonly #openseatPort: number;
  readonly #visitors = Array.from({ length: visitorsCount }, () => new Visitor());
  /** Visitors with a session, in the order in which they came in. */
  readonly #inside: Visitor[] = [];
  #heldBack = 0;
  #begunAt = 0;
  #openseat!: ChildServer;
  #site!: SiteProcess;

  private constructor(whenAway: "closed" | "open", openseatPort: number) {
    this.#whenAway = whenAway;
    this.#openseatPort = openseatPort;
  }

  static async open(project: ExampleProject, example: Example, whenAway: "closed" | "open"): Promise<Sale> {
    const sale = new Sale(whenAway, await freePort());
    await sale.#startOpenseat();
    const port = await freePort();
    const site = `http://127.0.0.1:${port}`;
    const { operatorKey, serviceKey } = await secretsOf(join(sale.#folder.path, "data"));
    const client = sale.#openseat.client();
    const terms = { id: "shop", title: "The shop", maxActive: 1_000, rate, burst, returnAddresses: [site] };
    const created = await client.post("/api/v1/queues", { token: operatorKey, body: terms });
    client.close();
    assert.equal(created.status, 201, created.text);
    const environment = {
      OPENSEAT_URL: sale.#openseatUrl,
      OPENSEAT_SERVICE_KEY: serviceKey,
      SITE_URL: site,
      QUEUE: "shop",
      WHEN_AWAY: whenAway,
    };
    sale.#site = await SiteProcess.start(project, example, environment, port);
    return sale;
  }

  /** Lets everyone come at once, and resolves when all are in. */
  async admitAll(): Promise<{ heldBack: number; seconds: number; outageSeconds: number }> {
    this.#begunAt = performance.now();
    const coming = Promise.all(this.#visitors.map((visitor) => this.#come(visitor)));
    const [outageSeconds] = await Promise.all([this.#outage(), coming]);
    assert.equal(this.#inside.length, visitorsCount);
    assert.ok(this.#heldBack >= visitorsCount / 2, `only ${this.#heldBack} had to wait`);
    const seconds = (performance.now() - this.#begunAt) / 1_000;
    return { heldBack: this.#heldBack, seconds: rounded(seconds), outageSeconds: rounded(outageSeconds) };
  }

  /** A visitor who is done is out, and everyone else stays in. */
  async buy(): Promise<void> {
    const [first, second] = this.#inside;
    assert.match(await (await first.step(`${this.#site.url}/buy`, { method: "POST" })).text(), /Thank you/);
    assert.equal(this.#hasSession(first), false, "the cookie is deleted");
    const next = await first.step(`${this.#site.url}/`);
    assert.match(String(next.headers.get("location")), /\/wait\/shop\?return=/);
    assert.equal((await second.step(`${this.#site.url}/`)).status, 200);
    const client = this.#openseat.client();
    const { stats } = (await client.get("/api/v1/queues/shop/stats")).body.data;
    client.close();
    assert.equal(stats.active, visitorsCount - 1);
  }

  get said(): string {
    return this.#site.said;
  }

  async close(): Promise<void> {
    await this.#site?.stop();
    await this.#openseat.kill();
    this.#folder.remove();
  }

  get #openseatUrl(): string {
    return `http://127.0.0.1:${this.#openseatPort}`;
  }

  async #startOpenseat(): Promise<void> {
    const data = join(this.#folder.path, "data");
    this.#openseat = await ChildServer.start(["--port", String(this.#openseatPort), "--data", data]);
  }

  /** From the first request to the page of the site, over the waiting page, again and again as a browser does. */
  async #come(visitor: Visitor): Promise<void> {
    const home = `${this.#site.url}/`;
    const go = `${this.#openseatUrl}/wait/shop/go?return=${encodeURIComponent(home)}`;
    for (let address = home, isFirst = true; !this.#hasSession(visitor); isFirst = false) {
      // While Openseat is away, its address does not answer.
      const response = await visitor.visit(address).catch(() => undefined);
      const page = await response?.text().catch(() => undefined);
      if (isFirst && page !== undefined && /data-status="waiting"/.test(page)) this.#heldBack++;
      if (page !== undefined) address = go;
      if (!this.#hasSession(visitor)) await pause(500 + 500 * Math.random());
    }
    const page = await (await visitor.step(home)).text();
    assert.match(page, /You are in/);
    this.#inside.push(visitor);
    const seconds = (performance.now() - this.#begunAt) / 1_000;
    const most = burst + rate * seconds + 1;
    assert.ok(this.#inside.length <= most, `${this.#inside.length} are in after ${seconds} s`);
  }

  #hasSession(visitor: Visitor): boolean {
    return visitor.cookie(new URL(this.#site.url).origin, cookieName) !== undefined;
  }

  /** Kills Openseat, checks who gets in meanwhile, and starts it again; returns its length in seconds. */
  async #outage(): Promise<number> {
    await until("the first are in", () => this.#inside.length >= inBeforeOutage);
    const begunAt = performance.now();
    await this.#openseat.kill();
    const home = `${this.#site.url}/`;
    const expected = this.#whenAway === "open" ? 200 : 503;
    await until("the site notices", async () => (await new Visitor().step(home)).status === expected);
    const insiders = this.#inside.slice(0, 50);
    const statuses = await Promise.all(insiders.map(async (visitor) => (await visitor.step(home)).status));
    assert.deepEqual(new Set(statuses), new Set([200]), "visitors with a session stay in");
    for (let newcomer = 0; newcomer < 20; newcomer++) {
      const answer = await new Visitor().step(home);
      assert.equal(answer.status, expected);
      assert.equal(answer.headers.get("retry-after"), expected === 503 ? "5" : null);
      assert.deepEqual(answer.headers.getSetCookie(), [], "a newcomer gets no session");
      const page = await answer.text();
      assert.equal(/You are in/.test(page), expected === 200);
    }
    const json = await new Visitor().step(home, { headers: { accept: "application/json" } });
    assert.equal(json.status, expected);
    await this.#startOpenseat();
    return (performance.now() - begunAt) / 1_000;
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
