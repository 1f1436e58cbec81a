import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { altered, tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

const lane = (changes: Json = {}) => ({ name: "one", skips: 0, ...changes });

/** Invalid settings of a waiting room, for creation and changes, and the field that the refusal names. */
const badSettings: [Json, string][] = [
  [{ title: " \u00a0" }, "title"],
  [{ title: "x".repeat(101) }, "title"],
  [{ title: "a\nb" }, "title"],
  [{ maxActive: 0 }, "maxActive"],
  [{ maxActive: 1.5 }, "maxActive"],
  [{ maxActive: 1_000_001 }, "maxActive"],
  [{ maxActive: "5" }, "maxActive"],
  [{ maxActive: null }, "maxActive"],
  [{ rate: 0 }, "rate"],
  [{ rate: 0.0015 }, "rate"],
  [{ rate: 1_000_000.001 }, "rate"],
  [{ rate: "7" }, "rate"],
  [{ rate: [1] }, "rate"],
  [{ burst: 0 }, "burst"],
  [{ burst: 1_000_001 }, "burst"],
  [{ burst: null }, "burst"],
  [{ maxWaiting: 0 }, "maxWaiting"],
  [{ maxWaiting: 1_000_001 }, "maxWaiting"],
  [{ patienceSeconds: -1 }, "patienceSeconds"],
  [{ patienceSeconds: 86_401 }, "patienceSeconds"],
  [{ heartbeatTimeoutSeconds: 4 }, "heartbeatTimeoutSeconds"],
  [{ heartbeatTimeoutSeconds: 3_601 }, "heartbeatTimeoutSeconds"],
  [{ claimTimeoutSeconds: 4.999 }, "claimTimeoutSeconds"],
  [{ claimTimeoutSeconds: 3_601 }, "claimTimeoutSeconds"],
  [{ sessionDurationSeconds: 0 }, "sessionDurationSeconds"],
  [{ sessionDurationSeconds: 86_401 }, "sessionDurationSeconds"],
  [{ sessionTimeoutSeconds: 4 }, "sessionTimeoutSeconds"],
  [{ sessionTimeoutSeconds: "never" }, "sessionTimeoutSeconds"],
  [{ returnAddresses: range(51).map((index) => `/${index}`) }, "returnAddresses"],
  [{ returnAddresses: ["/", 5] }, "returnAddresses.1"],
  ...[
    "",
    "javascript:alert(1)",
    "//evil.example",
    "/\\evil.example",
    "https:/shop.example",
    "https:// shop.example",
    "https://shop.example/\n",
    "https://shop.example:99999/",
    "shop.example",
    `https://shop.example/${"x".repeat(500)}`,
  ].map((address): [Json, string] => [{ returnAddresses: [address] }, "returnAddresses.0"]),
  [{ colour: "red" }, "colour"],
  [{ status: "PAUSED" }, "status"],
];

const badNewQueues: [Json, string][] = [
  ...badSettings,
  [{ id: "" }, "id"],
  [{ id: "x".repeat(65) }, "id"],
  [{ id: "../x" }, "id"],
  [{ lanes: [] }, "lanes"],
  [{ lanes: range(17).map((index) => lane({ name: `l${index}` })) }, "lanes"],
  [{ lanes: [lane(), lane({ skips: 0.5 })] }, "lanes"],
  [{ lanes: [lane({ name: "Vip" })] }, "lanes.0.name"],
  [{ lanes: [lane({ name: "0" })] }, "lanes.0.name"],
  [{ lanes: [{ skips: 0 }] }, "lanes.0.name"],
  [{ lanes: [lane(), lane({ name: "two", skips: 1.001 })] }, "lanes.1.skips"],
  [{ lanes: [lane({ skips: 0.1234 })] }, "lanes.0.skips"],
  [{ lanes: [{ name: "one" }] }, "lanes.0.skips"],
  [{ lanes: [lane({ immediate: 1 })] }, "lanes.0.immediate"],
  [{ lanes: [lane({ share: 1 })] }, "lanes.0.share"],
  [{ maxPerAddress: 0 }, "maxPerAddress"],
  [{ maxPerAddress: "2" }, "maxPerAddress"],
  [{ maxEntersPerAddress: 0 }, "maxEntersPerAddress"],
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

  /** Everything visible of waiting rooms, and the length of the log. */
  async function state() {
    const list = await desk.client.get("/api/v1/queues?limit=500");
    const stats = JSON.stringify(await desk.lastingStats(queue));
    const place = await desk.client.get(`/api/v1/positions/${waiting.id}`, { token: tokenOf("ann") });
    return { everything: list.text + stats + place.text, entries: await desk.entries() };
  }

  const assertUntouched = async (what: string) => assert.deepEqual(await state(), untouched, what);

  test("[LM1] with invalid settings: a 400 that names the field, and nothing is created", async () => {
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

  test("[LM1] a change to an invalid value: a 400 that names the field, and nothing changes", async () => {
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

  test("[AD7] a token that is no admission to this queue gets its own refusal, and nothing changes", async () => {
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
      ["another server's", "token.invalid", { token: foreign }],
      ["a person's own token", "token.invalid", { token: tokenOf("bob") }],
      ["a session's", "token.invalid", { token: insider.token }],
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
      [{ token: "x".repeat(4_097) }, "token"],
      [{ token, queue: "a b" }, "queue"],
      [{ token, person: "bob" }, "person"],
      [undefined, "body"],
    ] as [Json, string][])
      assertInvalid(await desk.client.post("/api/v1/sessions", { token: tokenOf("bob"), body }), field);
    await assertUntouched("claims");
    assert.equal(
      (await desk.claim(token, "bob", { queue: other })).status,
      201,
      "and the valid one is accepted",
    );
    untouched = await state();
  });

  test("[LM1] malformed ids: 400 by name; unknown ids: 404", async () => {
    const token = tokenOf("ann");
    for (const id of ["a.b", "%C3%A9", "x".repeat(97)]) {
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

  test("[LM1] bodies where none are allowed, and unknown fields", async () => {
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
      [{ lane: 16 }, "lane"],
      [{ lane: "x".repeat(33) }, "lane"],
      [{ lane: null }, "lane"],
      ["vip", "body"],
    ] as [Json, string][])
      assertInvalid(await desk.enter(queue, "bob", { body }), field, JSON.stringify(body));
    await assertUntouched("bodies");
  });

  test("[LM1] invalid queries of the list: 400 by name", async () => {
    for (const [query, field] of [
      ["status=FULL", "status"],
      ["limit=501", "limit"],
      ["cursor=x", "cursor"],
      ["page=2", "page"],
    ])
      assertInvalid(await desk.client.get(`/api/v1/queues?${query}`), field, query);
  });
});
