import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { type Conversation, type LineSaid, Openseat } from "../src/index.ts";
import { onStage, refusal, Stage, seeded, sharedStorage, shortly, uncalled } from "./support/stage.ts";

/** Records what a watcher of a conversation receives. */
function watching(client: Openseat) {
  const received: LineSaid[] = [];
  const views: Conversation[] = [];
  const stop = client.chat.watch((conversation, lines) => {
    views.push(conversation);
    received.push(...lines);
  });
  return { received, views, stop };
}

const saidIn = (lines: readonly LineSaid[]) => lines.map(({ by, text }) => [by, text]);

suite("chat", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  const person = (name: string) => stage.client({ token: tokenOf(name) });

  test("[CH5] [CH6] a message gets a reply, and both stay in the conversation", async () => {
    const chat = person("ann").chat;
    assert.deepEqual(await chat.lines(), []);
    const reply = await chat.say("nick Ann");
    assert.match(reply, /^Hello, Ann!/);
    const kind = await chat.say("pardon?");
    await until("the lines", async () => (await chat.lines()).length === 4);
    assert.deepEqual(saidIn(await chat.lines()), [
      ["you", "nick Ann"],
      ["openseat", reply],
      ["you", "pardon?"],
      ["openseat", kind],
    ]);
    assert.deepEqual(
      (await chat.lines()).map(({ number }) => number),
      [1, 2, 3, 4],
    );
  });

  test("[CH1] a repeated message gets the same reply and takes effect once", async () => {
    const chat = person("ben").chat;
    const first = await chat.say("nick Ben", { messageId: "m1" });
    assert.equal(await chat.say("nick Ben", { messageId: "m1" }), first);
    assert.notEqual(await chat.say("nick Ben"), first, "a new message has its own id");
    const lines = await until("the lines", async () => {
      const found = await chat.lines();
      return found.length === 4 && found;
    });
    assert.equal(lines.filter(({ text }) => text === first).length, 1);
  });

  test("[CH3] several messages at once are answered in order", async () => {
    const { replies, failures } = await person("cem").chat.sayAll([
      "games",
      "nick Cem",
      { messageId: "third", text: "games" },
    ]);
    assert.deepEqual(failures, []);
    assert.match(replies[0].reply, /You need a nickname first/);
    assert.match(replies[1].reply, /^Hello, Cem!/);
    assert.equal(replies[2].messageId, "third");
    assert.match(replies[2].reply, /no open duels/);
  });

  test("a service can send messages for others, a person cannot", async () => {
    const service = stage.client({ token: stage.server.serviceKey });
    assert.match(await service.chat.say("nick Dora", { userId: "dora" }), /^Hello, Dora!/);
    assert.equal(await person("dora").people.nickname(), "Dora");
    const { replies } = await service.chat.sayAll([{ text: "help", userId: "dora" }]);
    assert.match(replies[0].reply, /^You are Dora\./);
    await assert.rejects(person("eve").chat.say("quit", { userId: "dora" }), refusal("auth.forbidden", 403));
  });

  test("a watcher sees every line once, from the first, with consecutive numbers", async () => {
    const ida = person("ida");
    const { received, views, stop } = watching(ida);
    await until("the empty conversation", () => views.length === 1);
    assert.deepEqual([views[0].lines, received], [[], []]);
    await ida.chat.say("help");
    await ida.chat.say("nick Ida");
    await until("both", () => received.length === 4);
    assert.deepEqual(views.at(-1)?.lines, await ida.chat.lines());
    const late = watching(ida);
    await until("the view of one who came later", () => late.views.length === 1);
    assert.deepEqual([late.views[0], late.received], [views.at(-1), []]);
    stop();
    await ida.chat.say("games");
    await until("the last", () => late.received.length === 2);
    assert.equal(received.length, 4);
  });

  test("the client shows no more lines than the server", async () => {
    const jon = person("jon");
    const { received, views } = watching(jon);
    await until("the empty conversation", () => views.length === 1);
    await jon.chat.sayAll(Array.from({ length: 60 }, (_, index) => `word ${index}`));
    await until("all of it", () => received.length === 120);
    assert.deepEqual(views.at(-1)?.lines, await jon.chat.lines());
    assert.equal(views.at(-1)?.lines.at(-1)?.number, 120);
  });

  test("watching makes an anonymous client a guest, unless it stops first", async () => {
    const [client, gone] = [stage.client(), stage.client()];
    const { views } = watching(client);
    gone.chat.watch(uncalled, uncalled)();
    await until("the view", () => views.length === 1);
    assert.match(client.me!.id, /^guest_/);
    assert.deepEqual(views[0].lines, []);
  });

  test("a guest who becomes another person sees only that person's conversation", async () => {
    const storage = sharedStorage();
    const client = stage.client({ storage });
    await client.guest();
    const { views } = watching(client);
    await client.chat.say("help");
    await until("the line", () => views.at(-1)?.lines.length === 2);
    for (const [key, value] of storage.kept) {
      const { token, person: was } = JSON.parse(value);
      storage.kept.set(key, JSON.stringify({ token: `${token.slice(0, -4)}AAAA`, person: was }));
    }
    await client.chat.say("games");
    await until("the other", () => views.at(-1)?.lines.at(0)?.text === "games");
    assert.equal(views.at(-1)?.lines.length, 2);
  });

  test("a client without a conversation is refused, by the callback or by onError", async () => {
    const errors: unknown[] = [];
    const service = stage.client({
      token: stage.server.serviceKey,
      onError: (error) => void errors.push(error),
    });
    service.chat.watch(uncalled, (error) => void errors.push(error));
    await until("the refusal", () => errors.length === 1);
    service.chat.watch(uncalled);
    await until("the other", () => errors.length === 2);
    for (const error of errors) assert.ok(refusal("auth.forbidden", 403)(error));
  });
});

test("[CH1] a message whose answer was lost takes effect once, and watchers see each line once", () =>
  onStage(async (stage) => {
    const random = seeded(6);
    const [ann, bob] = ["ann", "bob"].map((name) =>
      stage.client({ token: tokenOf(name), random: shortly(random) }),
    );
    for (const [client, name] of [[ann, "Ann"] as const, [bob, "Bob"] as const])
      await client.chat.sayAll([`nick ${name}`, "register"]);
    await until("what Bob has said", async () => (await bob.chat.lines()).length === 4);
    const { received, views } = watching(bob);
    await until("the conversation", () => views.length === 1);
    for (let number = 1; number <= 20; number++) {
      stage.network.answersToLose = 1;
      const reply = await ann.chat.say("match @bob 2-1");
      assert.match(reply, new RegExp(`^Match ${number}: Ann 2, Bob 1\\.`));
      if (random() < 0.5) stage.network.cut();
    }
    await until("what Bob receives", () => received.length >= 20);
    assert.deepEqual(
      received.map(({ text }) => Number(/Match (\d+):/.exec(text)?.[1])),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal((await ann.ladder("chat").get()).ladder.matches, 20);
  }));

test("[CH3] failed messages are returned and can be sent again under their ids", async () => {
  const asked: { messageId: string; text: string }[][] = [];
  const client = new Openseat({
    url: "http://openseat.test",
    token: "a.key",
    fetch: async (_url, { body }) => {
      const { messages } = JSON.parse(body!);
      asked.push(messages);
      const [first, ...rest] = messages;
      const data = {
        replies: [{ messageId: first.messageId, reply: "Received." }],
        batchItemFailures: rest.map(({ messageId }: { messageId: string }) => ({
          itemIdentifier: messageId,
        })),
        failures: rest.map(({ messageId }: { messageId: string }) => ({
          messageId,
          code: "server.busy",
          message: "Busy.",
        })),
      };
      const text = JSON.stringify({ success: true, message: "", data });
      return { status: 200, headers: { get: () => null }, text: async () => text };
    },
  });
  const { replies, failures } = await client.chat.sayAll(["one", { text: "two", userId: "ann" }]);
  assert.deepEqual(
    [replies[0].reply, failures.map(({ text, userId, code }) => [text, userId, code])],
    ["Received.", [["two", "ann", "server.busy"]]],
  );
  assert.deepEqual((await client.chat.sayAll(failures)).failures, []);
  assert.deepEqual(asked[1], [asked[0][1]], "the same id, and no further request");
  client.close();
});
