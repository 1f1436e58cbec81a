import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { onChatStage } from "./chat-stage.ts";
import { good, nameOf, Talk } from "./chat-talk.ts";

suite("messages", () => {
  let server: TestServer;
  let talk: Talk;

  before(async () => {
    server = await startServer();
    talk = new Talk(server);
  });
  after(() => server.stop());

  const message = (userId: string, messageId: string, text: string) => ({ messageId, text, userId });

  const replyTo = async (person: string, body: Json, call: Json = {}): Promise<string> =>
    (await good(talk.send(person, body, call))).reply;

  test("[CH1] [ID1] a repeated message gets the same bytes, marked as a replay, and has no effect", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const message = { messageId: "t1", text: `throw rock @${bob}` };
    const first = await talk.send(ann, message);
    assert.deepEqual(first.body.data.messageId, "t1");
    assert.match(first.body.data.reply, /It is secret until/);
    assert.equal(first.headers["idempotent-replayed"], undefined);
    await talk.say(bob, `throw scissors @${ann}`);
    // Handled again, it would open another duel.
    const again = await talk.send(ann, message);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers["idempotent-replayed"], "true");
    const { open, finished } = await talk.duels(ann);
    assert.deepEqual([open.length, finished.length], [0, 1]);
  });

  test("[CH1] a repeated question gets its first answer, whatever has changed since", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const asked = ["top", "rating", "history", "games", `match @${bob} 1-0`, "undo", `rating @${bob}`];
    const say = async () => {
      const replies: string[] = [];
      for (const [index, text] of asked.entries()) replies.push(await talk.say(ann, text, `q${index}`));
      return replies;
    };
    const before = await say();
    for (const person of [ann, bob]) await talk.say(person, "register");
    await talk.say(bob, `match @${ann} 3-1`);
    await talk.opened(bob, ann);
    assert.deepEqual(await say(), before);
    const anew = await Promise.all(asked.slice(0, 4).map((text) => talk.say(ann, text)));
    for (const [index, reply] of anew.entries()) assert.notEqual(reply, before[index], asked[index]);
  });

  test("[CH1] [CH3] the same message is recognised from a service or the person, alone or in a batch", async () => {
    const [ann] = await talk.named("ann");
    const reply = await talk.say(ann, "rating", "r1");
    const same = message(ann, "r1", "rating");
    assert.equal(await replyTo(ann, same, { token: server.serviceKey }), reply);
    assert.equal(await replyTo(ann, same), reply);
    const { replies } = await good(talk.batch([same]));
    assert.deepEqual(replies, [{ messageId: "r1", reply }]);
    const own = await good(talk.send(ann, { messages: [{ messageId: "r1", text: "rating" }] }));
    assert.deepEqual(own.replies, replies);
  });

  test("[CH1] [ID1] [ID5] an Idempotency-Key replaces an id, and a message without either is refused", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const body = { text: `throw rock @${bob}` };
    const first = await talk.send(ann, body, { key: "a key with spaces" });
    assert.equal(first.body.data.messageId, "a key with spaces");
    await talk.say(bob, `throw paper @${ann}`);
    const again = await talk.send(ann, body, { key: "a key with spaces" });
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
    assert.deepEqual((await talk.duels(ann)).open, []);
    // The id of the message identifies it, whatever the key of the request.
    const named = await talk.send(ann, { ...body, messageId: "own-id" }, { key: "a key with spaces" });
    assert.equal(named.body.data.messageId, "own-id");
    assert.equal((await talk.duels(ann)).open.length, 1);
    const nameless = await talk.send(ann, { text: "help" }, { key: undefined });
    assertInvalid(nameless, "messageId");
  });

  test("[CH1] [CH2] delivered thirty times at once, and again after a restart: one effect, one reply", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    for (const person of [ann, bob]) await talk.say(person, "register");
    const texts = [`throw rock @${bob}`, `match @${bob} 3-1`, "undo", `nick ${nameOf(ann)}_`];
    const replies = new Map<string, string>();
    for (const text of texts) {
      const all = await Promise.all(
        range(30).map(() => talk.say(ann, text, `at-once ${text}`.replaceAll(" ", "-"))),
      );
      assert.equal(new Set(all).size, 1, all.join("\n"));
      replies.set(text, all[0]);
    }
    server = await server.restart();
    talk = new Talk(server);
    for (const [text, reply] of replies)
      assert.equal(await talk.say(ann, text, `at-once ${text}`.replaceAll(" ", "-")), reply);
    assert.equal((await talk.duels(ann)).open.length, 1);
    const { matches } = await good(server.client.get(`/api/v1/ladders/chat/matches?player=${ann}`));
    assert.deepEqual(
      matches.map(({ status }: Json) => status),
      ["voided"],
    );
  });
  test("[CH3] a batch of messages from several people is answered one by one, each person's in order", async () => {
    const { replies, batchItemFailures, failures } = await good(
      talk.batch([
        message("p1", "1", "throw rock @Two"),
        message("p1", "2", "nick One"),
        message("p2", "3", "nick Two"),
        message("p1", "4", "help"),
        message("p2", "5", "nick Second"),
        message("p2", "6", "help"),
      ]),
    );
    assert.deepEqual([batchItemFailures, failures], [[], []]);
    assert.deepEqual(
      replies.map(({ messageId }: Json) => messageId),
      ["1", "2", "3", "4", "5", "6"],
    );
    const said = replies.map(({ reply }: Json) => reply);
    assert.match(said[0], /You need a nickname first/);
    assert.match(said[1], /^Hello, One!/);
    assert.match(said[2], /^Hello, Two!/);
    assert.match(said[3], /^You are One\./);
    assert.match(said[4], /^You are Second now/);
    assert.match(said[5], /^You are Second\./);
  });

  test("[CH1] [CH3] an id repeated in a batch is one message with the same reply twice", async () => {
    const [ann, bob] = await talk.named("ann", "bob");
    const twice = message(ann, "d1", `throw rock @${bob}`);
    const other = { ...twice, text: `throw paper @${bob}` };
    const { replies } = await good(talk.batch([twice, message(bob, "d1", "help"), twice, other]));
    assert.match(replies[0].reply, /It is secret/);
    assert.deepEqual([replies[2], replies[3]], [replies[0], replies[0]]);
    assert.match(replies[1].reply, new RegExp(`^You are ${nameOf(bob)}`));
    assert.equal((await talk.duels(ann)).open.length, 1);
    const again = await good(talk.batch([twice, message(bob, "d1", "help"), twice, other]));
    assert.deepEqual(again.replies, replies);
  });
});

test("[CH5] a person who quits and comes back at once stays on the ladder, although the notice of quitting arrives later", () =>
  onChatStage({}, async (stage) => {
    for (const text of ["nick Ann", "register"]) await stage.reply("ann", text);
    await stage.settle();
    // Delays what the directory sends to the ladder.
    stage.log.refuses = ({ stream, lines }) =>
      stream === "ladder/chat" && lines.join().includes('"received"');
    for (const text of ["quit", "nick Anna"]) await stage.reply("ann", text);
    await stage.settle();
    assert.equal(await stage.reply("ann", "register"), "You are already a player on this ladder.");
    stage.log.refuses = () => false;
    await stage.clock.advance(60_000);
    await stage.settle();
    assert.match(await stage.reply("ann", "rating"), /^Anna is number 1 of 1/);
    await stage.reply("ann", "quit");
    await stage.settle();
    assert.match(await stage.reply("bob", "top"), /^Nobody is on the ladder yet/);
  }));
