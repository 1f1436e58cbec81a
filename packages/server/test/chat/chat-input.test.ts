import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

const textMax = 4_096;
const bodyBytesMax = 65_536;

suite("bad input to the chat", () => {
  let server: TestServer;
  let talk: Talk;
  /** They only have names. */
  let ann: string;
  let bob: string;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
    [ann, bob] = await talk.named("ann", "bob");
    await talk.takeName("zoe", "Zoë");
    await talk.takeName("street", "Straße");
    // The ladder is created on first use.
    await talk.say("onlooker", "top");
    await talk.lines("onlooker", /Nobody is on the ladder/);
  });
  after(() => server.stop());

  /** Everything that people have and could have won or lost. */
  async function shown(): Promise<Json> {
    const people = [ann, bob, "zoe", "street"].map(async (person) => {
      const me = await server.client.get("/api/v1/people/me", { token: tokenOf(person) });
      return [me.body.data, await talk.duels(person)];
    });
    const ladders = await server.client.get("/api/v1/ladders");
    return [
      await Promise.all(people),
      ladders.body.data.ladders.map(({ players, matches }: Json) => [players, matches]),
    ];
  }

  /** Sends it, and asserts that nothing has changed. */
  async function assertNothing(ask: () => Promise<Answer>, check: (answer: Answer) => void): Promise<void> {
    const [before, entries] = [await shown(), await talk.entries()];
    check(await ask());
    assert.equal(await talk.entries(), entries, "something was written");
    assert.deepEqual(await shown(), before, "something has changed");
  }

  const one = { messageId: "m1", text: "help" };
  const refused: readonly (readonly [Json, string])[] = [
    [{ messageId: "m1" }, "text"],
    [[], "body"],
    [{ text: 5 }, "text"],
    [{ text: "a".repeat(textMax + 1) }, "text"],
    [{ text: "help", channel: "sms" }, "channel"],
    [{ text: "help", messageId: "a b" }, "messageId"],
    [{ text: "help", messageId: "\ud800" }, "messageId"],
    [{ text: "help", messageId: "a".repeat(129) }, "messageId"],
    [{ text: "help", userId: "@operator" }, "userId"],
    [{ messages: [] }, "messages"],
    [{ messages: range(101).map((index) => ({ messageId: `m${index}`, text: "help" })) }, "messages"],
    [{ messages: [one, { text: "help" }] }, "messages.1.messageId"],
    [{ messages: [{ ...one, at: 1 }] }, "messages.0.at"],
    [{ messages: [one], text: "help" }, "text"],
  ];
  test("[LM1] invalid fields are refused by name, and no message is received", async () => {
    for (const [body, field] of refused)
      await assertNothing(
        () => talk.send(ann, body),
        (answer) => assertInvalid(answer, field, JSON.stringify(body).slice(0, 99)),
      );
  });

  test("[LM1] invalid JSON, other types and bodies over the limit are refused", async () => {
    const say = (call: Json) => () => talk.send(ann, undefined, call);
    for (const rawBody of ["{", '{"text":"help"', '{"text":"\u0001"}', "help", '{"text":"\\ud8"}'])
      await assertNothing(say({ rawBody }), (answer) => assertInvalid(answer, "body", rawBody));
    const rawBody = JSON.stringify({ text: "help" });
    await assertNothing(say({ rawBody, headers: { "content-type": "text/plain" } }), (answer) =>
      assertRefused(answer, 415, "input.unsupported-type"),
    );
    const large = JSON.stringify({
      messages: range(20).map((index) => ({ messageId: `m${index}`, text: "a".repeat(textMax) })),
    });
    assert.ok(large.length > bodyBytesMax);
    await assertNothing(say({ rawBody: large }), (answer) => assertRefused(answer, 413, "input.too-large"));
  });

  test("[AU3] [LM1] a person can only write as themselves, and a service must name the person", async () => {
    const forBob = { text: "quit", userId: bob };
    const forbidden = (answer: Answer) => assertRefused(answer, 403, "auth.forbidden");
    await assertNothing(() => talk.send(ann, forBob), forbidden);
    const token = server.serviceKey;
    const missing = (answer: Answer) => assertInvalid(answer, "userId");
    await assertNothing(() => talk.send(ann, { text: "help" }, { token }), missing);
    // They are identified by an address on a channel, and write there.
    await assertNothing(() => talk.send(ann, { text: "quit", userId: "chat_1" }, { token }), missing);
    await assertNothing(
      () => talk.send(ann, { text: "help", userId: bob }, { token: server.operatorKey }),
      forbidden,
    );
  });

  test("[CH3] [AU3] in a batch, messages that are not theirs or too long fail or are answered separately; the others are received", async () => {
    const huge = "a".repeat(10_000);
    const mine = await talk.send(ann, {
      messages: [
        { messageId: "mixed-1", text: "help" },
        { messageId: "mixed-2", text: "quit", userId: bob },
        { messageId: "mixed-3", text: huge },
      ],
    });
    assert.equal(mine.status, 200);
    const { replies, batchItemFailures, failures } = mine.body.data;
    assert.deepEqual(
      replies.map(({ messageId }: Json) => messageId),
      ["mixed-1", "mixed-3"],
    );
    assert.match(replies[1].reply, /Your message is too long/);
    assert.deepEqual(batchItemFailures, []);
    assert.deepEqual([failures[0].messageId, failures[0].code], ["mixed-2", "auth.forbidden"]);
    const theirs = await talk.batch([{ messageId: "mixed-4", text: "help", userId: bob }, one]);
    assert.deepEqual(theirs.body.data.batchItemFailures, []);
    const [refused] = theirs.body.data.failures;
    assert.deepEqual([refused.messageId, refused.code], [one.messageId, "input.invalid"]);
  });

  /** Odd input, and part of its friendly reply. The kernel's tests cover the grammar. */
  const odd: readonly (readonly [string, RegExp])[] = [
    [" \t\n\u00a0 ", /found no text in your message/],
    ["\u0000\u0001\u0007\u001b[31m\u007f", /./],
    ["مرحبا بالعالم", /did not understand/],
    ["\u202eolleh", /did not understand/],
    ["throw rock @\udc00\ud800", /Nobody here has the nickname|Who do you want/],
    [`z${"\u0301".repeat(400)}`, /did not understand/],
    ["🎉".repeat(textMax / 2), /Your message is too long/],
    ["<script>alert(1)</script>", /did not understand/],
    ["__proto__", /did not understand/],
    [`throw rock @${"n".repeat(900)}`, /Nobody here has the nickname n{1,40}/],
    ["nick <b>", /2 to 20/],
    ["match @who @knows 3-1", /Nobody here has the nickname who/],
    ["match @Zoë 999999-1", /Scores are whole numbers/],
    ["register ../../secrets", /There is no ladder called/],
  ];
  test("[CH5] [LM1] any text gets a friendly reply and has no effect", async () => {
    const before = await shown();
    for (const [text, words] of odd) {
      const { reply } = await good(talk.send(ann, { text }));
      assert.match(reply, words);
      assert.ok(reply.length <= 1_000, `${reply.length} characters`);
      assert.ok(reply.isWellFormed(), JSON.stringify(reply));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what is said back may hold none
      assert.doesNotMatch(reply, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    assert.deepEqual(await shown(), before, "something has changed");
  });

  test("[CH4] [CH5] a throw at yourself, in any case, gets a friendly reply and opens nothing", async () => {
    for (const name of [nameOf(ann), nameOf(ann).toUpperCase(), ann])
      assert.match(await talk.say(ann, `throw rock @${name}`), /You cannot challenge yourself/);
    assert.deepEqual((await talk.duels(ann)).open, []);
    assert.match(await talk.say(ann, `match @${ann} @${ann} 3-1`), /A match needs two different players/);
  });

  test("[NM1] [CH5] a name in use is refused in any spelling", async () => {
    const before = await shown();
    for (const [name, spellings] of [
      ["Zoë", ["zoë", "ZOE\u0308", "Zo\u200dë"]],
      ["Straße", ["STRASSE", "ﬅraße"]],
    ] as const)
      for (const spelling of spellings) {
        assert.match(await talk.say(ann, `nick ${spelling}`), /is taken/, spelling);
        assertRefused(await talk.takeName(ann, spelling), 409, "nickname.taken", spelling);
        assert.equal((await talk.called(spelling)).body.data?.person.nickname, name, spelling);
      }
    assert.deepEqual(await shown(), before);
  });
});
