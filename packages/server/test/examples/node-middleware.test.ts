import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { PersonId } from "@openseat/kernel";
import { newSigningKey } from "../../src/config/signing-keys.ts";
import { within } from "../support/http.ts";
import { waitMsMax } from "../support/patience.ts";
import { until } from "../support/test-clock.ts";
import { altered } from "../support/tokens.ts";
import { SessionsStandIn, sessionIdOf } from "./sessions-stand-in.ts";

const program = fileURLToPath(new URL("../../../../examples/node-middleware/site.ts", import.meta.url));
const keysCall = "GET /.well-known/jwks.json";
const claimCall = "POST /api/v1/sessions";
/** The public address of the site; the test itself connects to its port. */
const shopUrl = "https://shop.test";

interface Visit {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly text: string;
}

/** examples/node-middleware/site.ts in its own process. */
class Site {
  readonly #process: ChildProcess;
  #url = "";
  said = "";

  private constructor(environment: Readonly<Record<string, string>>) {
    this.#process = spawn(process.execPath, [program], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#process.stdout!, this.#process.stderr!])
      stream.on("data", (chunk: Buffer) => {
        this.said += chunk.toString("utf8");
      });
  }

  static async start(openseat: SessionsStandIn, siteUrl = shopUrl): Promise<Site> {
    const site = new Site({
      OPENSEAT_URL: openseat.url,
      OPENSEAT_ISSUER: openseat.issuer,
      OPENSEAT_SERVICE_KEY: openseat.serviceKey,
      QUEUE: openseat.queue,
      SITE_URL: siteUrl,
      PORT: "0",
    });
    process.once("exit", () => site.#process.kill("SIGKILL"));
    const portIn = (said: string) => /open on port (\d+)/.exec(said)?.[1];
    await until(() => portIn(site.said) !== undefined || site.#process.exitCode !== null, "the shop opens");
    assert.equal(site.#process.exitCode, null, `the shop ended while starting: ${site.said}`);
    site.#url = `http://127.0.0.1:${portIn(site.said)}`;
    return site;
  }

  async visit(path: string, { cookie = "", method = "GET" } = {}): Promise<Visit> {
    const headers = cookie === "" ? {} : { cookie };
    const asking = fetch(this.#url + path, { method, headers, redirect: "manual" });
    const response = await within(`an answer to ${path}`, asking);
    return {
      status: response.status,
      location: response.headers.get("location"),
      cookies: response.headers.getSetCookie(),
      text: await response.text(),
    };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }
}

describe("examples/node-middleware", () => {
  let openseat: SessionsStandIn;
  let site: Site;
  let ticket = 0;
  before(async () => {
    openseat = await SessionsStandIn.start();
    site = await Site.start(openseat);
  });
  after(async () => {
    await site?.stop();
    await openseat?.stop();
  });
  beforeEach(() => {
    openseat.failing = false;
    openseat.asked.length = 0;
  });

  const waitingPage = (back: string) => `${openseat.url}/wait/shop?return=${encodeURIComponent(back)}`;

  /** The token with additional header fields, under the same key. */
  function signedAnew(token: string, more: object): string {
    const [head, payload] = token.split(".");
    const header = { ...JSON.parse(Buffer.from(head, "base64url").toString()), ...more };
    const signed = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}`;
    const key = createPrivateKey({ key: openseat.stage.keys[0].jwk, format: "jwk" });
    return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
  }

  /** Arrives with an admission token and gets a session. */
  async function enter(changes = {}): Promise<string> {
    const { status, cookies } = await site.visit(`/?openseat_token=${openseat.admit(++ticket, changes)}`);
    assert.equal(status, 303);
    assert.equal(cookies.length, 1);
    return cookies[0].split(";")[0];
  }

  test("a visitor without a session is sent to wait, with their address as the return address", async () => {
    for (const [path, method] of [
      ["/", "GET"],
      ["/shoes?size=42&colour=red%20dark", "GET"],
      ["/buy", "POST"],
    ]) {
      const { status, location, cookies } = await site.visit(path, { method });
      assert.deepEqual([status, location, cookies], [303, waitingPage(shopUrl + path), []]);
    }
    assert.deepEqual(openseat.asked, []);
  });

  test("[AD7] a token is claimed once; its session goes into a cookie, and the token is removed from the address", async () => {
    const token = openseat.admit(++ticket);
    const { status, location, cookies } = await site.visit(
      `/shoes?size=42&openseat_token=${token}&colour=red%20dark`,
    );
    assert.deepEqual([status, location], [303, `${shopUrl}/shoes?size=42&colour=red%20dark`]);
    assert.equal(openseat.count(claimCall), 1);
    assert.match(
      cookies[0],
      /^openseat_session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.ok(!cookies[0].includes(token));
  });

  test("a cookie is not Secure if the site has no HTTPS", async () => {
    const plain = await Site.start(openseat, "http://shop.test");
    const { cookies } = await plain.visit(`/?openseat_token=${openseat.admit(++ticket)}`);
    await plain.stop();
    assert.match(cookies[0], /; HttpOnly; SameSite=Lax$/);
  });

  test("[AD9] a session is checked without a call", async () => {
    const cookie = await enter();
    openseat.asked.length = 0;
    for (let visit = 0; visit < 20; visit++) {
      const { status, text } = await site.visit("/", { cookie: `other=1; ${cookie}; more=2` });
      assert.equal(status, 200);
      assert.match(text, /You are in/);
    }
    assert.deepEqual(openseat.asked, []);
  });

  test("a leftover token in the address of an admitted visitor is removed, and not claimed again", async () => {
    const cookie = await enter();
    openseat.asked.length = 0;
    const { status, location } = await site.visit(`/?openseat_token=${openseat.admit(ticket)}`, { cookie });
    assert.deepEqual([status, location], [303, `${shopUrl}/`]);
    assert.deepEqual(openseat.asked, []);
  });

  test("[AD7] tokens that are altered, expired, for another queue or for the other use admit nobody", async () => {
    const good = openseat.admit(++ticket);
    const session = (await enter()).replace("openseat_session=", "");
    openseat.asked.length = 0;
    const bad = {
      nonsense: "nonsense",
      altered: altered(good, { sub: "bob" }),
      expired: openseat.admit(ticket, { expiresAt: Date.now() - 5_000 }),
      "of another queue": openseat.admit(ticket, { queue: "other" }),
      "a session": session,
      "with a header that demands more": signedAnew(good, { crit: ["b64"], b64: true }),
    };
    for (const [name, token] of Object.entries(bad)) {
      const { status, location, cookies } = await site.visit(`/?openseat_token=${token}`);
      assert.deepEqual([status, location, cookies], [303, waitingPage(`${shopUrl}/`), []], name);
    }
    const badCookies = [bad.nonsense, altered(session, { sub: "bob" }), good, bad["of another queue"]];
    for (const token of badCookies) {
      const { location } = await site.visit("/", { cookie: `openseat_session=${token}` });
      assert.equal(location, waitingPage(`${shopUrl}/`));
    }
    assert.equal(openseat.count(claimCall), 0);
  });

  test("a path that looks like another site's address does not redirect there", async () => {
    const token = openseat.admit(++ticket);
    const { location } = await site.visit(`//elsewhere.test/?openseat_token=${token}`);
    assert.equal(location, `${shopUrl}//elsewhere.test/`);
  });

  test("Openseat-Session: complete ends the session, and the next visit enters the line", async () => {
    const cookie = await enter({ person: "buyer" as PersonId });
    const { status, text, cookies } = await site.visit("/buy", { cookie, method: "POST" });
    assert.equal(status, 200);
    assert.match(text, /Thank you/);
    assert.deepEqual(cookies, ["openseat_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"]);
    await until(() => openseat.completed.includes(sessionIdOf(ticket)), "the session is ended");
    const { location } = await site.visit("/", { cookie: "openseat_session=" });
    assert.equal(location, waitingPage(`${shopUrl}/`));
  });

  test("while Openseat fails, admitted visitors stay in, and new ones are asked to come again", async () => {
    const cookie = await enter();
    openseat.failing = true;
    const token = openseat.admit(++ticket);
    const { status, cookies } = await site.visit(`/?openseat_token=${token}`);
    assert.deepEqual([status, cookies], [503, []]);
    assert.equal((await site.visit("/", { cookie })).status, 200);
    openseat.failing = false;
    assert.equal((await site.visit(`/?openseat_token=${token}`)).cookies.length, 1, "nothing was lost");
  });

  test("a token under a new key is accepted within seconds; the keys are not fetched each time", async () => {
    const other = await Site.start(openseat);
    await other.visit(`/?openseat_token=${openseat.admit(++ticket)}`);
    openseat.stage.keys = [newSigningKey(Date.now()), ...openseat.stage.keys];
    openseat.asked.length = 0;
    const token = openseat.admit(++ticket);
    let visits = 0;
    let cookies: readonly string[] = [];
    const deadline = Date.now() + waitMsMax;
    while (cookies.length === 0 && Date.now() < deadline) {
      ({ cookies } = await other.visit(`/?openseat_token=${token}`));
      visits++;
      if (cookies.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await other.stop();
    assert.equal(cookies.length, 1);
    assert.equal(openseat.count(keysCall), 1, `for ${visits} visits`);
  });
});
