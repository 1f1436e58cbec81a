import assert from "node:assert/strict";
import { createHmac, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { after, before, beforeEach, suite, test } from "node:test";
import { forged, Stage, shop } from "./support/stage.ts";
import { claimCall, StandIn } from "./support/stand-in.ts";

suite("attacks", () => {
  let openseat: StandIn;
  let stage: Stage;
  before(async () => {
    openseat = await StandIn.start();
    stage = new Stage(openseat, { heartbeatSeconds: 0 });
    await stage.enter();
  });
  after(() => openseat.stop());
  beforeEach(() => openseat.recover());

  let at = 50_000;
  const cookieOf = (token: string) => `openseat_admission_shop=${token}`;

  /** Signed with Openseat's own key. */
  function signedAnew(token: string, header: object, claims: object = {}): string {
    const [head, payload] = forged(token, header, claims).split(".");
    const key = createPrivateKey({ key: openseat.stage.keys[0].jwk, format: "jwk" });
    return `${head}.${payload}.${sign(null, Buffer.from(`${head}.${payload}`), key).toString("base64url")}`;
  }

  function badTokens(good: string): Record<string, string> {
    const [head, payload, signature] = good.split(".");
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const publicKey = Buffer.from(openseat.stage.keys[0].jwk.x, "base64url");
    const [hmacHead, hmacPayload] = forged(good, { alg: "HS256" }).split(".");
    const hmac = createHmac("sha256", publicKey).update(`${hmacHead}.${hmacPayload}`).digest("base64url");
    return {
      nonsense: "nonsense",
      empty: "",
      "without a signature": `${head}.${payload}.`,
      "of alg none": forged(good, { alg: "none" }),
      "of alg none without a signature": forged(good, { alg: "none" }, {}, ""),
      "signed by HMAC with the public key": `${hmacHead}.${hmacPayload}.${hmac}`,
      "of another person": forged(good, {}, { sub: "bob" }),
      "under the signature of a stranger": `${head}.${payload}.${sign(null, Buffer.from(`${head}.${payload}`), stranger).toString("base64url")}`,
      "with a key of its own": forged(good, { jwk: openseat.stage.keys[0].jwk }),
      "with crit": signedAnew(good, { crit: ["b64"], b64: true }),
      "with an unknown crit": signedAnew(good, { crit: ["exp2"], exp2: 1 }),
      "of another type": signedAnew(good, { typ: "at+jwt" }),
      "with an odd kid": signedAnew(good, { kid: { toString: 1 } }),
      "without a kid": signedAnew(good, { kid: undefined }),
      "for another queue": signedAnew(good, {}, { aud: "other" }),
      "for two queues": signedAnew(good, {}, { aud: ["other", "more"] }),
      "of another issuer": signedAnew(good, {}, { iss: "https://elsewhere.test" }),
      "of no use": signedAnew(good, {}, { use: undefined }),
      "of another use": signedAnew(good, {}, { use: "toString" }),
      expired: signedAnew(good, {}, { exp: Math.floor(Date.now() / 1000) - 10 }),
      "without an expiry": signedAnew(good, {}, { exp: undefined }),
      "with an odd expiry": signedAnew(good, {}, { exp: "9999999999" }),
      "cut off": good.slice(0, -4),
      twice: `${good}.${signature}`,
      huge: `${head}.${payload}${"A".repeat(10_000)}.${signature}`,
    };
  }

  test("[AD7] tokens that are altered, expired, for another queue or for the other use admit nobody", async () => {
    const good = stage.admit();
    const bad = { ...badTokens(good), "a session": openseat.session(stage.ticket) };
    for (const [name, token] of Object.entries(bad)) {
      const { status, location, cookies } = await stage.visit(`/x?openseat_token=${token}`);
      assert.deepEqual([status, location, cookies], [303, stage.waitingPage(`${shop}/x`), []], name);
    }
    assert.equal(openseat.count(claimCall), 0);
    assert.equal((await stage.visit(`/x?openseat_token=${good}`)).cookies.length, 1, "the good one counts");
  });

  test("[AD7] cookies with such tokens admit nobody", async () => {
    const good = openseat.session(++at);
    const bad = {
      ...badTokens(good),
      "an admission": openseat.admit(at),
      "without an id": signedAnew(good, {}, { sid: undefined }),
      "with an id that is a path": signedAnew(good, {}, { sid: "../../admin" }),
    };
    for (const [name, token] of Object.entries(bad)) {
      const { location, passed } = await stage.visit("/", { cookie: cookieOf(token) });
      assert.deepEqual([location, passed], [stage.waitingPage(`${shop}/`), undefined], name);
    }
    assert.equal(
      (await stage.visit("/", { cookie: cookieOf(good) })).passed,
      "admitted",
      "the good one counts",
    );
  });

  test("oversized and odd cookies neither pass nor fail", async () => {
    for (const cookie of [
      cookieOf("x".repeat(100_000)),
      `${cookieOf("a.b.c")}; `.repeat(3_000),
      ";".repeat(10_000),
      "=;=; openseat_admission_shop",
      'openseat_admission_shop="a.b.c"',
      cookieOf("a.b.c\u00e9"),
      "__proto__=1; constructor=2",
    ])
      assert.equal((await stage.visit("/", { cookie })).status, 303, cookie.slice(0, 50));
  });

  test("no address leads away from the site and Openseat, and none keeps a token", async () => {
    const cookie = await stage.enter();
    const token = openseat.admit(stage.ticket);
    const names = ["openseat_token", "openseat%5Ftoken", "%6fpenseat_token", "openseat%5ftoke%6E"];
    const paths = [
      "/",
      "//evil.test/",
      "/\\evil.test/",
      "/.//evil.test",
      "/@evil.test/",
      "/%2f%2fevil.test/",
      "/a/../..//evil.test",
    ];
    for (const path of [...paths, "/x\\..\\..\\evil.test", "/:80@evil.test", "/https://evil.test/"])
      for (const name of names)
        for (const url of [
          `${path}?${name}=${token}`,
          `${path}?a=1&${name}=x&${name}=${token}&b=%5C%5Cevil`,
          `${path}?${name}=${token}#${name}=${token}`,
          `${path}?${name}&${name}=${token}`,
        ])
          for (const [who, step] of [
            ["insider", { cookie }],
            ["newcomer", {}],
          ] as const) {
            const { location, status } = await stage.visit(url, step);
            assert.ok(status === 303, `${who} ${url}: ${status}`);
            const { origin, href } = new URL(location!);
            assert.equal(origin, shop, `${who} ${url}`);
            assert.ok(!decodeURIComponent(href).includes("openseat_token"), `${who} ${url}: ${href}`);
            assert.ok(!href.includes(token), url);
          }
  });

  test("the Host header and full addresses name no other site", async () => {
    const headers = { host: "evil.test", "x-forwarded-host": "evil.test", forwarded: "host=evil.test" };
    assert.equal((await stage.visit("/x", { headers })).location, stage.waitingPage(`${shop}/x`));
    const full = await stage.visit("https://evil.test/x", { headers });
    assert.equal(full.location, stage.waitingPage(`${shop}/x`));
    for (const url of ["", "*", "evil.test:443", "javascript:alert(1)", "file:///etc/passwd", "x"])
      assert.equal((await stage.visit(url)).status, 400, url);
  });

  test("nothing that a visitor sends ends a header", async () => {
    for (const path of ["/%0d%0aSet-Cookie:%20a=b", "/?x=%0d%0aLocation:%20evil", "/\u0000", "/é\u2028"]) {
      const { status, location, headers } = await stage.visit(path);
      assert.equal(status, 303);
      assert.match(location!, /^[\x21-\x7e]+$/);
      assert.equal(headers.get("set-cookie"), null);
    }
    // A mount path that a framework took from the address.
    const verdict = await stage.gate.check(
      { method: "GET", url: `/a;b/x?openseat_token=${stage.admit()}`, headers: new Headers() },
      { mount: "/a; Domain=test" },
    );
    assert.ok("response" in verdict);
    assert.match(verdict.response.headers.getSetCookie()[0], /; Path=\/; Max-Age/);
  });

  test("a flood of one token makes a bounded number of calls at once", async () => {
    let [open, openMax] = [0, 0];
    const counting: typeof fetch = async (input, init) => {
      if (!String(input).endsWith("/api/v1/sessions")) return fetch(input, init);
      openMax = Math.max(openMax, ++open);
      try {
        return await fetch(input, init);
      } finally {
        open--;
      }
    };
    const flooded = new Stage(openseat, { fetch: counting, timeoutSeconds: 60 });
    await flooded.enter();
    openseat.slowMs = 20;
    const path = `/?openseat_token=${flooded.admit()}`;
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => flooded.visit(path)));
    assert.equal(openMax, 64);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.ok(count(303) >= 64 + 512, `${count(303)} were let in`);
    assert.equal(count(303) + count(503), 1_000, "the others are asked to come again");
  });

  test("forged keys fetch the keys at most once every two seconds", async () => {
    const good = openseat.session(1);
    const begun = Date.now();
    for (let index = 0; index < 200; index++)
      await stage.visit("/", { cookie: cookieOf(forged(good, { kid: `key-${index}` })) });
    const fetches = openseat.asked.filter((asked) => asked.includes("jwks")).length;
    assert.ok(fetches <= 1 + (Date.now() - begun) / 2_000, `${fetches} fetches`);
  });
});
