import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { altered, tokenOf, withPart } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

const lane = (changes: Json = {}) => ({ name: "one", skips: 0, ...changes });

/** What no waiting room may be, made or changed; and the field that the refusal names. */
const badSettings: [Json, string][] = [
  [{ title: "" }, "title"],
  [{ title: " \u00a0" }, "title"],
  [{ title: "x".repeat(101) }, "title"],
  [{ title: "a\nb" }, "title"],
  [{ title: 5 }, "title"],
  [{ maxActive: 0 }, "maxActive"],
  [{ maxActive: -1 }, "maxActive"],
  [{ maxActive: 1.5 }, "maxActive"],
  [{ maxActive: 1_000_001 }, "maxActive"],
  [{ maxActive: 1e300 }, "maxActive"],
  [{ maxActive: "5" }, "maxActive"],
  [{ maxActive: null }, "maxActive"],
  [{ rate: 0 }, "rate"],
  [{ rate: -1 }, "rate"],
  [{ rate: 0.0001 }, "rate"],
  [{ rate: 0.0015 }, "rate"],
  [{ rate: 1.2345 }, "rate"],
  [{ rate: 999_999.9999 }, "rate"],
  [{ rate: 1_000_000.001 }, "rate"],
  [{ rate: 1e308 }, "rate"],
  [{ rate: "7" }, "rate"],
  [{ rate: "NaN" }, "rate"],
  [{ rate: true }, "rate"],
  [{ rate: [1] }, "rate"],
  [{ rate: { perSecond: 1 } }, "rate"],
  [{ burst: 0 }, "burst"],
  [{ burst: -1 }, "burst"],
  [{ burst: 1.5 }, "burst"],
  [{ burst: 1_000_001 }, "burst"],
  [{ burst: null }, "burst"],
  [{ maxWaiting: 0 }, "maxWaiting"],
  [{ maxWaiting: 1_000_001 }, "maxWaiting"],
  [{ patienceSeconds: -1 }, "patienceSeconds"],
  [{ patienceSeconds: 86_401 }, "patienceSeconds"],
  [{ patienceSeconds: 0.5 }, "patienceSeconds"],
  [{ heartbeatTimeoutSeconds: 4 }, "heartbeatTimeoutSeconds"],
  [{ heartbeatTimeoutSeconds: 3_601 }, "heartbeatTimeoutSeconds"],
  [{ heartbeatTimeoutSeconds: null }, "heartbeatTimeoutSeconds"],
  [{ claimTimeoutSeconds: 4.999 }, "claimTimeoutSeconds"],
  [{ claimTimeoutSeconds: 3_601 }, "claimTimeoutSeconds"],
  [{ sessionDurationSeconds: 0 }, "sessionDurationSeconds"],
  [{ sessionDurationSeconds: 86_401 }, "sessionDurationSeconds"],
  [{ sessionTimeoutSeconds: 4 }, "sessionTimeoutSeconds"],
  [{ sessionTimeoutSeconds: 5.5 }, "sessionTimeoutSeconds"],
  [{ sessionTimeoutSeconds: "never" }, "sessionTimeoutSeconds"],
  [{ returnAddresses: "https://shop.example" }, "returnAddresses"],
  [{ returnAddresses: range(51).map((index) => `/${index}`) }, "returnAddresses"],
  [{ returnAddresses: ["/", 5] }, "returnAddresses.1"],
  ...[
    "",
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "ftp://shop.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:/shop.example",
    "https://",
    "https:// shop.example",
    "https://shop.example/\n",
    " https://shop.example",
    "shop.example",
    "mailto:a@shop.example",
    `https://shop.example/${"x".repeat(500)}`,
  ].map((address): [Json, string] => [{ returnAddresses: [address] }, "returnAddresses.0"]),
  [{ returnAddresses: ["https://shop.example:99999/"] }, "returnAddresses.0"],
  [{ colour: "red" }, "colour"],
  [{ status: "PAUSED" }, "status"],
];

const badNewQueues: [Json, string][] = [
  ...badSettings,
  [{ id: "" }, "id"],
  [{ id: "a b" }, "id"],
  [{ id: "x".repeat(65) }, "id"],
  [{ id: "../x" }, "id"],
  [{ lanes: [] }, "lanes"],
  [{ lanes: null }, "lanes"],
  [{ lanes: range(17).map((index) => lane({ name: `l${index}` })) }, "lanes"],
  [{ lanes: [lane(), lane({ skips: 0.5 })] }, "lanes"],
  [{ lanes: [lane({ name: "Vip" })] }, "lanes.0.name"],
  [{ lanes: [lane({ name: "" })] }, "lanes.0.name"],
  [{ lanes: [lane({ name: "x".repeat(33) })] }, "lanes.0.name"],
  [{ lanes: [lane({ name: "0" })] }, "lanes.0.name"],
  [{ lanes: [lane(), lane({ name: "two", skips: 1.001 })] }, "lanes.1.skips"],
  [{ lanes: [lane({ skips: -0.1 })] }, "lanes.0.skips"],
  [{ lanes: [lane({ skips: 0.1234 })] }, "lanes.0.skips"],
  [{ lanes: [lane({ skips: "half" })] }, "lanes.0.skips"],
  [{ lanes: [{ name: "one" }] }, "lanes.0.skips"],
  [{ lanes: [{ skips: 0 }] }, "lanes.0.name"],
  [{ lanes: [lane({ immediate: 1 })] }, "lanes.0.immediate"],
  [{ lanes: [lane({ share: 1 })] }, "lanes.0.share"],
  [{ lanes: ["one"] }, "lanes.0"],
  [{ maxPerAddress: 0 }, "maxPerAddress"],
  [{ maxEntersPerAddress: 0 }, "maxEntersPerAddress"],
  [{ maxEntersPerAddress: "9" }, "maxEntersPerAddress"],
  [{ maxPerAddress: 1.5 }, "maxPerAddress"],
  [{ maxPerAddress: "2" }, "maxPerAddress"],
];

suite("waiting rooms refuse", () => {
  let server: TestServer;
  let desk: Desk;
  let queue: string;
  let insider: Json;
  let waiting: Json;
  let untouched: { everything: string; entries: number };

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
    ({ queue, insider } = await desk.fullQueue({ id: "the-queue", claimTimeoutSeconds: 3_600 }));
    waiting = await desk.entered(queue, "ann");
    untouched = await state();
  });
  after(() => server.stop());

  /** All that anyone can see of waiting rooms, and how much is in the log. */
  async function state() {
    const list = await desk.client.get("/api/v1/queues?limit=500");
    const stats = JSON.stringify(await desk.lastingStats(queue));
    const place = await desk.client.get(`/api/v1/positions/${waiting.id}`, { token: tokenOf("ann") });
    return { everything: list.text + stats + place.text, entries: await desk.entries() };
  }

  const assertUntouched = async (what: string) => assert.deepEqual(await state(), untouched, what);

  test("[LM1] to be made as they cannot be: each a 400 that names the field, and nothing is made", async () => {
    for (const [fields, field] of badNewQueues)
      assertInvalid(await desk.create(fields), field, JSON.stringify(fields).slice(0, 100));
    for (const [body, field] of [
      [{ maxActive: 1 }, "title"],
      [{ title: "T" }, "maxActive"],
      [undefined, "body"],
      [[], "body"],
    ] as [Json, string][])
      assertInvalid(await desk.client.post("/api/v1/queues", { token: desk.operatorKey, body }), field);
    await assertUntouched("made");
  });

  test("[LM1] to be changed to what they cannot be: each a 400 that names the field, and nothing changes", async () => {
    for (const [fields, field] of badSettings)
      assertInvalid(await desk.change(queue, fields), field, JSON.stringify(fields).slice(0, 100));
    for (const [body, field] of [
      [{}, "body"],
      [null, "body"],
      [[], "body"],
      [{ id: "other" }, "id"],
      [{ lanes: [lane()] }, "lanes"],
      [{ maxPerAddress: 5 }, "maxPerAddress"],
      [{ rate: 1, burst: 0 }, "burst"],
    ] as [Json, string][])
      assertInvalid(await desk.change(queue, body), field, JSON.stringify(body));
    await assertUntouched("changed");
  });

  test("[LM1] numbers that JSON does not have are not JSON", async () => {
    for (const value of ["NaN", "Infinity", "-Infinity", "0x10", "1e", ".5", "01"]) {
      const call = { method: "PATCH", token: desk.operatorKey, rawBody: `{"rate":${value}}` };
      assertInvalid(await desk.client.call(`/api/v1/queues/${queue}`, call), "body", value);
    }
    const huge = { method: "PATCH", token: desk.operatorKey, rawBody: '{"rate":1e999}' };
    assertInvalid(await desk.client.call(`/api/v1/queues/${queue}`, huge), "rate", "1e999");
    await assertUntouched("numbers");
  });

  test("[AD7] a token that is no admission to this: each its own refusal, and nothing changes", async () => {
    const other = await desk.newQueue({ id: "other", maxActive: 9 });
    const bob = await desk.entered(other, "bob");
    const { token } = bob;
    const elsewhere = await startServer();
    const far = new Desk(elsewhere);
    const foreign = (await far.entered(await far.newQueue({ id: "other" }), "bob")).token;
    await elsewhere.stop();
    untouched = await state();
    const cases: [string, string, Json][] = [
      ["an altered place", "token.invalid", { token: altered(token, { place: 2 }) }],
      ["an altered person", "token.invalid", { token: altered(token, { sub: "eve" }) }],
      ["an altered expiry", "token.invalid", { token: altered(token, { exp: 9_999_999_999 }) }],
      ["no signature", "token.invalid", { token: withPart(token, 2, () => "") }],
      ["no algorithm", "token.invalid", { token: withPart(token, 0, () => "eyJhbGciOiJub25lIn0") }],
      ["another server's", "token.invalid", { token: foreign }],
      ["a person's own token", "token.invalid", { token: tokenOf("bob") }],
      ["a session's", "token.invalid", { token: insider.token }],
      ["a word", "token.invalid", { token: "please" }],
      ["nothing", "token.invalid", { token: "" }],
      ["another queue's", "token.foreign", { token, queue }],
      ["a queue's that is not", "token.foreign", { token, queue: "nowhere" }],
    ];
    for (const [name, code, body] of cases)
      assertRefused(
        await desk.client.post("/api/v1/sessions", { token: tokenOf("bob"), body }),
        400,
        code,
        name,
      );
    assertRefused(await desk.claim(token, "eve"), 400, "token.foreign", "another person's");
    for (const [body, field] of [
      [{}, "token"],
      [{ token: 5 }, "token"],
      [{ token: null }, "token"],
      [{ token: "x".repeat(4_097) }, "token"],
      [{ token, queue: "a b" }, "queue"],
      [{ token, person: "bob" }, "person"],
      [undefined, "body"],
    ] as [Json, string][])
      assertInvalid(await desk.client.post("/api/v1/sessions", { token: tokenOf("bob"), body }), field);
    await assertUntouched("claims");
    assert.equal((await desk.claim(token, "bob", { queue: other })).status, 201, "and the good one is good");
    untouched = await state();
  });

  test("[AD7] a claim twice is one session; after its end it is over", async () => {
    const bob = await desk.entered("other", "bert");
    const first = await desk.claim(bob.token, "bert");
    const again = await Promise.all(range(20).map(() => desk.claim(bob.token, "bert")));
    for (const { status, body } of again) {
      assert.equal(status, 200);
      assert.deepEqual(body.data, first.body.data);
    }
    await desk.complete(first.body.data.session.id, tokenOf("bert"));
    untouched = await state();
    assertRefused(await desk.claim(bob.token, "bert"), 410, "place.over");
    assertRefused(await desk.sessionHeartbeat(first.body.data.session.id, "bert"), 410, "place.over");
    assertRefused(await desk.heartbeat(bob.id, "bert"), 410, "place.over");
    await assertUntouched("over");
  });

  test("[LM1] ids that cannot be any: 400 by name; others that are none: 404", async () => {
    const token = tokenOf("ann");
    for (const id of ["a.b", "a%20b", "%C3%A9", "x".repeat(97), "x".repeat(4_000), "%00"]) {
      for (const [method, path] of [
        ["GET", `/api/v1/positions/${id}`],
        ["GET", `/api/v1/positions/${id}/details`],
        ["POST", `/api/v1/positions/${id}/heartbeat`],
        ["DELETE", `/api/v1/positions/${id}`],
        ["POST", `/api/v1/sessions/${id}/heartbeat`],
        ["POST", `/api/v1/sessions/${id}/complete`],
        ["DELETE", `/api/v1/sessions/${id}`],
      ])
        assertInvalid(
          await desk.client.call(path, { method, token }),
          "id",
          `${method} ${path.slice(0, 60)}`,
        );
      const long = await desk.client.get(`/api/v1/queues/${id}`);
      assertInvalid(long, "id", id.slice(0, 60));
      assertInvalid(await desk.enter(id, "ann"), "id", id.slice(0, 60));
    }
    await assertUntouched("ids");
  });

  test("[LM1] bodies where none belong, and unknown fields where some do", async () => {
    const token = tokenOf("ann");
    const bare = [
      ["POST", `/api/v1/positions/${waiting.id}/heartbeat`],
      ["DELETE", `/api/v1/positions/${waiting.id}`],
      ["POST", `/api/v1/sessions/${insider.id}/heartbeat`],
      ["POST", `/api/v1/sessions/${insider.id}/complete`],
      ["DELETE", `/api/v1/sessions/${insider.id}`],
    ];
    for (const [method, path] of bare) {
      assertInvalid(await desk.client.call(path, { method, token, body: { why: 1 } }), "why", path);
      assertInvalid(await desk.client.call(path, { method, token, body: [] }), "body", path);
    }
    for (const word of ["pause", "resume"]) {
      const call = { token: desk.operatorKey, body: { why: 1 } };
      assertInvalid(await desk.client.post(`/api/v1/queues/${queue}/${word}`, call), "why");
    }
    for (const [body, field] of [
      [{ position: 1 }, "position"],
      [{ lane: -1 }, "lane"],
      [{ lane: 16 }, "lane"],
      [{ lane: 1.5 }, "lane"],
      [{ lane: "x".repeat(33) }, "lane"],
      [{ lane: null }, "lane"],
      [[], "body"],
      ["vip", "body"],
      [5, "body"],
    ] as [Json, string][])
      assertInvalid(await desk.enter(queue, "bob", { body }), field, JSON.stringify(body));
    await assertUntouched("bodies");
  });

  test("[LM1] what is not JSON, of another type, too large, or after a prototype is refused, on every route with a body", async () => {
    const routes = [
      ["POST", "/api/v1/queues", desk.operatorKey],
      ["PATCH", `/api/v1/queues/${queue}`, desk.operatorKey],
      ["POST", `/api/v1/queues/${queue}/positions`, tokenOf("bob")],
      ["POST", "/api/v1/sessions", tokenOf("bob")],
    ];
    for (const [method, path, token] of routes) {
      const say = (rawBody: string, type = "application/json") =>
        desk.client.call(path, { method, token, rawBody, headers: { "content-type": type } });
      for (const broken of ["{", '{"title":', "nul", "\u0000", "{}{}", `${"[".repeat(5_000)}`])
        assertInvalid(await say(broken), "body", `${path} ${broken.slice(0, 20)}`);
      assertRefused(await say("{}", "text/plain"), 415, "input.unsupported-type", path);
      assertRefused(await say(`{"title":"${"x".repeat(70_000)}"}`), 413, "input.too-large", path);
      for (const poison of [
        '{"__proto__":{"lane":3}}',
        '{"metadata":{"__proto__":{"lane":3}}}',
        '{"metadata":{"a":{"\\u005f_proto__":1}}}',
        '{"metadata":{"constructor":{"prototype":{"lane":3}}}}',
      ])
        assertRefused(await say(poison), 400, "input.invalid", `${path} ${poison}`);
    }
    assert.equal(({} as Json).lane, undefined);
    await assertUntouched("broken bodies");
  });

  test("[LM1] queries of the list that are none: 400 by name", async () => {
    for (const [query, field] of [
      ["status=FULL", "status"],
      ["status=open", "status"],
      ["limit=0", "limit"],
      ["limit=501", "limit"],
      ["limit=1e999", "limit"],
      ["cursor=x", "cursor"],
      ["page=2", "page"],
    ])
      assertInvalid(await desk.client.get(`/api/v1/queues?${query}`), field, query);
  });
});
