import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { nameOf, Talk } from "./chat-talk.ts";

const textMax = 4_096;
const bodyBytesMax = 65_536;

suite("bad input to the chat", () => {
  let server: TestServer;
  let talk: Talk;
  /** They have names, and nothing else. */
  let ann: string;
  let bob: string;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
    [ann, bob] = await talk.named("ann", "bob");
    await talk.takeName("zoe", "Zoë");
    await talk.takeName("street", "Straße");
    await talk.takeName("sisyphus", "Σίσυφος");
    // The ladder is there as soon as somebody asks for it.
    await talk.say("onlooker", "top");
    await talk.lines("onlooker", /Nobody is on the ladder/);
  });
  after(() => server.stop());

  /** All that people have, and could have lost or won. */
  async function shown(): Promise<Json> {
    const people = [ann, bob, "zoe", "street", "sisyphus"].map(async (person) => {
      const me = await server.client.get("/api/v1/people/me", { token: tokenOf(person) });
      return [me.body.data, await talk.duels(person)];
    });
    const ladders = await server.client.get("/api/v1/ladders");
    return [
      await Promise.all(people),
      ladders.body.data.ladders.map(({ players, matches }: Json) => [players, matches]),
    ];
  }

  /** Asks it, and makes sure that nothing has become of it. */
  async function assertNothing(ask: () => Promise<Answer>, check: (answer: Answer) => void): Promise<void> {
    const [before, entries] = [await shown(), await talk.entries()];
    check(await ask());
    assert.equal(await talk.entries(), entries, "something was written");
    assert.deepEqual(await shown(), before, "something has changed");
  }

  const one = { messageId: "m1", text: "help" };
  const refused: readonly (readonly [string, Json, string])[] = [
    ["nothing at all", {}, "text"],
    ["no text", { messageId: "m1" }, "text"],
    ["a list", [], "body"],
    ["a text alone", "help", "body"],
    ["a number as text", { text: 5 }, "text"],
    ["null as text", { text: null }, "text"],
    ["a list as text", { text: ["help"] }, "text"],
    ["a text that is too long", { text: "a".repeat(textMax + 1) }, "text"],
    ["an unknown field", { text: "help", channel: "sms" }, "channel"],
    ["an empty id", { text: "help", messageId: "" }, "messageId"],
    ["an id with a space", { text: "help", messageId: "a b" }, "messageId"],
    ["an id with a line break", { text: "help", messageId: "a\nb" }, "messageId"],
    ["an id of other letters", { text: "help", messageId: "é" }, "messageId"],
    ["an id of half a character", { text: "help", messageId: "\ud800" }, "messageId"],
    ["an id that is too long", { text: "help", messageId: "a".repeat(129) }, "messageId"],
    ["a number as id", { text: "help", messageId: 5 }, "messageId"],
    ["a bad person", { text: "help", userId: "@operator" }, "userId"],
    ["a batch of none", { messages: [] }, "messages"],
    [
      "a batch of 101",
      { messages: range(101).map((index) => ({ messageId: `m${index}`, text: "help" })) },
      "messages",
    ],
    ["a batch that is none", { messages: "help" }, "messages"],
    ["a batch of texts", { messages: ["help"] }, "messages.0"],
    ["a batch without an id", { messages: [one, { text: "help" }] }, "messages.1.messageId"],
    ["a batch without a text", { messages: [{ messageId: "m1" }] }, "messages.0.text"],
    ["a batch with a bad id", { messages: [one, { ...one, messageId: "a b" }] }, "messages.1.messageId"],
    ["an unknown field in a batch", { messages: [{ ...one, at: 1 }] }, "messages.0.at"],
    ["an unknown field beside a batch", { messages: [one], urgent: true }, "urgent"],
    ["a batch and a text", { messages: [one], text: "help" }, "text"],
  ];
  for (const [what, body, field] of refused) {
    test(`[LM1] ${what} is refused, naming ${field}, and nothing is heard`, () =>
      assertNothing(
        () => talk.send(ann, body),
        (answer) => assertInvalid(answer, field),
      ));
  }

  test("[LM1] what is no JSON, or no JSON at all, and more than the server takes", async () => {
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

  test("[AU3] [LM1] a person speaks for themselves alone, and a service says for whom", async () => {
    const forBob = { text: "quit", userId: bob };
    const forbidden = (answer: Answer) => assertRefused(answer, 403, "auth.forbidden");
    await assertNothing(() => talk.send(ann, forBob), forbidden);
    const token = server.serviceKey;
    const missing = (answer: Answer) => assertInvalid(answer, "userId");
    await assertNothing(() => talk.send(ann, { text: "help" }, { token }), missing);
    // They are known by an address on a channel, and speak there.
    await assertNothing(() => talk.send(ann, { text: "quit", userId: "chat_1" }, { token }), missing);
    await assertNothing(
      () => talk.send(ann, { text: "help", userId: bob }, { token: server.operatorKey }),
      forbidden,
    );
  });

  test("[CH3] [AU3] in a batch, what is not theirs to say or too long fails or is answered by itself; the others are heard", async () => {
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
    assert.match(replies[1].reply, /more than I can read/);
    assert.deepEqual(batchItemFailures, []);
    assert.deepEqual([failures[0].messageId, failures[0].code], ["mixed-2", "auth.forbidden"]);
    const theirs = await talk.batch([{ messageId: "mixed-4", text: "help", userId: bob }, one]);
    assert.deepEqual(theirs.body.data.batchItemFailures, []);
    const [refused] = theirs.body.data.failures;
    assert.deepEqual([refused.messageId, refused.code], [one.messageId, "input.invalid"]);
  });

  /** What somebody may well write, and what a kind answer to it says. */
  const odd: readonly (readonly [string, string, RegExp])[] = [
    ["nothing", "", /nothing that I could read/],
    ["spaces", " \t\n\u00a0 ", /nothing that I could read/],
    ["control characters", "\u0000\u0001\u0007\u001b[31m\u007f", /./],
    ["a zero between letters", "he\u0000lp", /./],
    ["marks that nobody sees", "\u200b\u200d\ufeff", /nothing that I could read/],
    ["from right to left", "مرحبا بالعالم", /did not understand/],
    ["turned around", "\u202eolleh", /did not understand/],
    ["emoji", "🎉🎊👩‍👩‍👧‍👦", /did not understand/],
    ["half a character", "\ud800", /did not understand/],
    ["half a character after a command", "throw rock @\udc00\ud800", /Nobody is called|At whom/],
    ["marks upon marks", `z${"\u0301".repeat(400)}`, /did not understand/],
    ["as much as may be sent", "a".repeat(textMax), /more than I can read/],
    ["as much as may be sent, in wide characters", "🎉".repeat(textMax / 2), /more than I can read/],
    ["an unknown command", "/frobnicate now", /did not understand/],
    ["markup", "<script>alert(1)</script>", /did not understand/],
    ["the name of a field", "__proto__", /did not understand/],
    ["a throw of nothing", "throw", /throw rock @nick/],
    ["a throw of something else", "throw lizard @nobody", /throw rock @nick/],
    ["a throw at nobody", "throw rock @nobody_is_called_so", /Nobody is called nobody_is_called_so/],
    ["a throw at a person's id", "throw rock @zoe_", /Nobody is called/],
    ["a throw at no one in particular", "throw rock", /At whom/],
    ["a throw at a very long name", `throw rock @${"n".repeat(900)}`, /Nobody is called n{1,40}/],
    ["a nickname of one letter", "nick x", /2 to 20/],
    ["a nickname of 21 letters", `nick ${"x".repeat(21)}`, /2 to 20/],
    ["a nickname of two words", "nick Ann Two", /2 to 20/],
    ["a nickname of signs", "nick <b>", /2 to 20/],
    ["a nickname of emoji", "nick 🎉🎉", /2 to 20/],
    ["a nickname of half characters", "nick \ud800\ud801", /2 to 20/],
    ["a nickname of dashes", "nick --__", /2 to 20/],
    ["a nickname under a heap of marks", `nick Ze${"\u0301".repeat(9)}`, /2 to 20/],
    ["no nickname", "nick", /nick NAME/],
    ["a match of one", "match 3-1", /match @winner @loser 3-1/],
    ["a match without a score", "match @a @b", /match @winner @loser 3-1/],
    ["a match with unknown people", "match @who @knows 3-1", /Nobody is called who/],
    ["a score past all bounds", "match @Zoë 999999-1", /Scores are whole numbers/],
    ["a ladder that is not there", "register no-such-ladder", /There is no ladder called no-such-ladder/],
    ["a ladder that cannot be", "register ../../secrets", /There is no ladder called/],
    ["the rating of nobody", "rating @nobody_at_all", /Nobody is called/],
  ];
  for (const [what, text, words] of odd) {
    test(`[CH5] [LM1] ${what}: a kind answer, and nothing comes of it`, async () => {
      const before = await shown();
      const answer = await talk.send(ann, { text });
      assert.equal(answer.status, 200, answer.text);
      const { reply } = answer.body.data;
      assert.match(reply, words);
      assert.ok(reply.length <= 1_000, `${reply.length} characters`);
      assert.ok(reply.isWellFormed(), JSON.stringify(reply));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what is said back may hold none
      assert.doesNotMatch(reply, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      assert.deepEqual(await shown(), before, "something has changed");
    });
  }

  test("[CH4] [CH5] a throw at oneself, in whatever case, is answered kindly and opens nothing", async () => {
    for (const name of [nameOf(ann), nameOf(ann).toUpperCase(), ann])
      assert.match(await talk.say(ann, `throw rock @${name}`), /Nobody duels with themselves/);
    assert.deepEqual((await talk.duels(ann)).open, []);
    assert.match(await talk.say(ann, `match @${ann} @${ann} 3-1`), /Nobody plays against themselves/);
  });

  const lookAlikes = [
    ["Zoë", "zoë", "ZOË", "Zoe\u0308", "zOE\u0308", "Zo\u200dë", "Ｚｏë"],
    ["Straße", "STRASSE", "strasse", "STRAẞE", "ﬅraße"],
    ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"],
  ];
  for (const spellings of lookAlikes) {
    test(`[NM1] [CH5] ${spellings[0]} is taken, however somebody else writes it`, async () => {
      const before = await shown();
      for (const spelling of spellings) {
        assert.match(await talk.say(ann, `nick ${spelling}`), /is taken/, spelling);
        assertRefused(await talk.takeName(ann, spelling), 409, "nickname.taken", spelling);
        const found = await talk.called(spelling);
        assert.equal(found.body.data?.person.nickname, spellings[0], spelling);
      }
      assert.deepEqual(await shown(), before);
    });
  }
});
