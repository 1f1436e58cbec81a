import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

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

  test("[CH6] before anything was said it is empty; then it has what was said and what came back", async () => {
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

  test("[CH4] [CH7] what others do is there without having been asked for, in its order", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    for (const person of [ann, bob]) {
      await talk.say(person, "register");
      await talk.lines(person, /You are on the ladder/);
    }
    await talk.say(ann, `throw rock @${bob}`);
    await talk.lines(bob, /challenges you/);
    await talk.say(bob, `throw rock @${ann}`);
    await talk.lines(ann, /a draw/);
    await talk.say(ann, `match @${bob} 3-1`);
    await talk.lines(bob, /has reported a match/);
    await talk.say(ann, "undo");
    await talk.lines(bob, /has taken back match/);
    const news = (await talk.lines(bob)).filter((line, index, all) => {
      return line.startsWith("openseat: ") && !all[index - 1]?.startsWith("you: ");
    });
    assert.equal(news.length, 3);
    assert.match(news[0], new RegExp(`^openseat: ${nameOf(ann)} challenges you`));
    assert.match(news[1], /^openseat: .* has reported a match\. Match \d+: .* 3, .* 1\./);
    assert.match(news[2], /^openseat: .* has taken back match/);
  });

  test("[LM2] the latest hundred lines are shown, and their numbers go on", async () => {
    const said = range(60).map((index) => ({ messageId: `m${index}`, text: `nonsense ${index}` }));
    assert.equal((await talk.send("talker", { messages: said })).status, 200);
    const { lines } = await until("all of it", async () => {
      const all = await talk.conversation("talker");
      return all.lines.at(-1)?.number === 120 && all;
    });
    assert.deepEqual(
      lines.map(({ number }: Json) => number),
      range(100).map((index) => index + 21),
    );
    assert.equal(lines[0].text, "nonsense 10");
  });

  test("[AU3] a person reads their own alone, by whatever name; a service reads anybody's", async () => {
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

  test("[CH7] [LG5] what was said is there after a restart, once", async () => {
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
