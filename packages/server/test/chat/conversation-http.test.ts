import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, type Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, Talk } from "./chat-talk.ts";

suite("conversations", () => {
  let server: TestServer;
  let talk: Talk;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
  });
  after(() => server.stop());

  const get = (id: string, token: string | undefined) =>
    server.client.get(`/api/v1/conversations/${id}`, { token });

  test("[CH6] is empty at first, and then has the messages and their replies", async () => {
    assert.deepEqual(await talk.conversation("quiet"), { lines: [], version: 0 });
    const reply = await talk.say("quiet", "help");
    await talk.lines("quiet", /^help$/);
    const { lines, version } = await talk.conversation("quiet");
    assert.deepEqual(
      lines.map(({ number, by, text }: Json) => [number, by, text]),
      [
        [1, "you", "help"],
        [2, "openseat", reply],
      ],
    );
    for (const { at } of lines) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(version, 1);
  });

  test("[AU3] a person reads only their own, under either id; a service reads anyone's", async () => {
    await talk.say("ann", "help");
    await talk.lines("ann", /^help$/);
    const own = await talk.conversation("ann");
    assert.deepEqual((await good(get("ann", tokenOf("ann")))).lines, own.lines);
    assert.deepEqual((await good(get("ann", server.serviceKey))).lines, own.lines);
    assert.deepEqual(await good(get("never-said-anything", server.serviceKey)), { lines: [], version: 0 });
    assertRefused(await get("ann", tokenOf("bob")), 403, "auth.forbidden");
    assertRefused(await get("me", server.serviceKey), 403, "auth.forbidden");
    assertRefused(await get("ann", server.operatorKey), 403, "auth.forbidden");
    assertRefused(await get("me", undefined), 401, "auth.missing");
    for (const bad of ["@operator", "%20", "%00", "x".repeat(129)])
      assertInvalid(await get(bad, server.serviceKey), "id", bad);
  });

  test("[CH7] [LG5] messages are there after a restart, exactly once", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    await talk.say(ann, `throw rock @${bob}`);
    await talk.say(bob, `throw paper @${ann}`);
    await talk.lines(ann, /you threw/i);
    const before = await talk.lines(ann, /^You threw rock, /);
    server = await server.restart();
    talk = new Talk(server);
    assert.deepEqual(await talk.lines(ann, /^You threw rock, /), before);
  });
});
