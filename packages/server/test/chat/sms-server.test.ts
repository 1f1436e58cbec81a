import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { EventClient, LiveClient } from "../live/clients.ts";
import { assertRefused, type Json, range, until } from "../support/http.ts";
import { tokenOf } from "../support/tokens.ts";
import { SmsExchange } from "./sms-exchange.ts";
import { newSid } from "./twilio-stand-in.ts";

const ann = "+14155550101";
const bob = "+447700900102";

/** Their last digits, to find a number in any format: with a plus, with or without the country code. */
const numbers = [ann, bob].map((number) => number.slice(-9));
const assertNumberless = (text: string, where: string) => {
  for (const digits of numbers) assert.ok(!text.includes(digits), `a number is in ${where}: ${text}`);
};

describe("a server with SMS", () => {
  let exchange: SmsExchange;
  before(async () => {
    exchange = await SmsExchange.open();
  });
  after(() => exchange.close());

  const say = async (phone: string, text: string, sid = newSid()): Promise<string> => {
    const answer = await exchange.twilio.deliver(phone, text, { sid });
    assert.equal(answer.status, 200, answer.raw);
    return answer.text!;
  };

  /** The message to a phone with this text; no other unseen message exists. */
  const sentTo = (phone: string, words: RegExp): Promise<string> =>
    until(`a message to ${phone} that says ${words}`, () =>
      exchange.twilio.sentTo(phone).find((text) => words.test(text)),
    );

  const called = (nickname: string) => exchange.client.get(`/api/v1/people/called/${nickname}`);

  test("[CH6] an unsigned message has no effect and is not remembered: signed, it is received", async () => {
    const form = exchange.twilio.formOf(ann, "nick Ann");
    const { raw, ...answer } = await exchange.twilio.post(form, { signature: null });
    assertRefused({ ...answer, text: raw, body: JSON.parse(raw) }, 401, "auth.invalid");
    assertRefused(await called("Ann"), 404, "nickname.unknown");
    assert.match((await exchange.twilio.post(form)).text!, /^Hello, Ann!/);
    assert.equal((await called("ann")).body.data.person.nickname, "Ann");
  });

  test("[CH1] [CH2] the same MessageSid five times: one effect, and the same TwiML, also after a restart", async () => {
    const sid = newSid();
    const deliver = () => exchange.twilio.deliver(bob, "nick Bob", { sid });
    const answers = await Promise.all(range(5).map(deliver));
    await say(bob, "nick Robert");
    answers.push(await deliver());
    await exchange.restart();
    answers.push(await deliver());
    assert.deepEqual([...new Set(answers.map(({ raw }) => raw))], [answers[0].raw]);
    assert.match(answers[0].text!, /^Hello, Bob!/);
    // Handled again, it would have taken the name back.
    assert.equal((await called("robert")).body.data.person.nickname, "Robert");
    assert.match(await say(bob, "nick Bob"), /^You are Bob now/);
  });

  test("[CH4] [CH7] the player who throws first gets the result in a message, the other one in TwiML", async () => {
    const sid = newSid();
    assert.match(await say(ann, "throw rock @bob", sid), /^You threw\. It is secret/);
    assert.match(await sentTo(bob, /challenges you/), /^Ann challenges you/);
    const result = await say(bob, "throw scissors @Ann");
    assert.equal(result, "You threw scissors, Ann threw rock: Ann wins.");
    assert.equal(await sentTo(ann, /threw/), "You threw rock, Bob threw scissors: you win!");
    // The repeated throw is the old one, not a throw in a new duel.
    assert.match(await say(ann, "throw rock @bob", sid), /^You threw\. It is secret/);
    assert.match(await say(ann, "games"), /You have no open duels/);
    assert.deepEqual(
      exchange.twilio.sent.map(({ to }) => to),
      [bob, ann],
    );
  });

  test("[CH7] a result whose sending fails is sent again; to a number that wrote STOP it becomes a dead letter", async () => {
    const before = exchange.twilio.sent.length;
    exchange.twilio.faults.push({ status: 500 });
    await say(ann, "throw paper @bob");
    await until("the challenge", () => exchange.twilio.sent.length === before + 1);
    exchange.twilio.stopped.add(ann);
    assert.match(await say(bob, "throw paper @ann"), /a draw/);
    const letters = await until("the dead letter", async () => {
      const answer = await exchange.client.get(deadLetters, { token: exchange.server.operatorKey });
      return answer.body.data.deadLetters.length > 0 && answer;
    });
    assert.match(letters.body.data.deadLetters[0].reason, /21610/);
    assertNumberless(letters.text, "the dead letters");
    exchange.twilio.stopped.clear();
  });

  test("[CH8] a sender who writes STOP gets no replies and no notices, also after a restart, until START", async () => {
    const answer = await exchange.twilio.deliver(bob, "Stop");
    assert.deepEqual([answer.status, answer.text], [200, undefined]);
    await exchange.restart();
    const before = exchange.twilio.sentTo(bob).length;
    await say(ann, "throw rock @bob");
    await say(ann, "decline @bob");
    assert.match(await say(bob, "START"), /^You are Bob\./);
    await say(ann, "throw rock @bob");
    await until("the challenge", () => exchange.twilio.sentTo(bob).length > before);
    const sent = exchange.twilio.sentTo(bob).slice(before);
    assert.deepEqual([sent.length, /^Ann challenges you/.test(sent[0])], [1, true], sent.join("; "));
    await say(ann, "decline @bob");
  });

  test("[CH6] no phone number is in any response, in the live feed, or in any log line", async () => {
    const watchers = await watchesOf(exchange);
    try {
      await say(ann, "match @ann @bob 3-1");
      exchange.twilio.invalid.add(bob);
      await say(ann, "throw rock @bob rated");
      await say(bob, "throw paper @ann rated");
      await said(exchange, "throw rock @ann");
      await say(ann, "throw paper @carol");
      await until("all of it in the feeds", () => {
        const shown = JSON.stringify(watchers.map(({ feed }) => feed));
        return shown.includes('"id":"2"') && shown.includes("Ann threw paper");
      });
      const letters = () => exchange.client.get(deadLetters, { token: exchange.server.operatorKey });
      await until("what cannot be sent", async () => (await letters()).text.includes("21211"));
      for (const { feed } of watchers) assertNumberless(JSON.stringify(feed), "the live feed");
      for (const [path, text] of await sweep(exchange)) assertNumberless(text, path);
      assert.ok(exchange.logged.length > 0);
      for (const line of exchange.logged) assertNumberless(line, "the log");
      assert.ok(!exchange.logged.join("").includes(exchange.twilio.authToken));
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  });
});

const deadLetters = "/api/v1/chat/dead-letters";
const carol = tokenOf("carol");

/** Carol chats in a browser. */
async function said({ client }: SmsExchange, text: string): Promise<void> {
  const answer = await client.post("/api/v1/chat/messages", {
    ...{ token: carol, key: randomUUID(), body: { text } },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** Both kinds of watches of the phones' ladder, and the conversation of another player. */
async function watchesOf(exchange: SmsExchange): Promise<{ readonly feed: Json[]; close(): void }[]> {
  for (const phone of [ann, bob]) await exchange.twilio.deliver(phone, "register");
  await said(exchange, "nick Carol");
  const live = await LiveClient.open(exchange.server.url, { token: carol });
  for (const room of [{ ladder: "chat" }, { conversation: "me" }])
    assert.equal((await live.ask({ type: "watch", ...room })).status, 200);
  return [live, await EventClient.open(exchange.server.url, "chat", { kind: "ladder" })];
}

const parts: Readonly<Record<string, string>> = {
  nickname: "ann",
  player: "chat_1",
  opponent: "chat_2",
  match: "1",
};

/** The response of every readable route: to anyone, to a player who plays with the phones, and to an operator. */
async function sweep({ client, server: { operatorKey } }: SmsExchange): Promise<Map<string, string>> {
  const { body } = await client.get("/openapi.json");
  const found = new Map<string, string>();
  for (const [template, methods] of Object.entries<Json>(body.paths)) {
    // Streams and sockets do not end.
    if (!methods.get || /\/(events|live)$/.test(template)) continue;
    const query = template.endsWith("/export") ? "?what=matches&format=csv" : "";
    for (const id of ["chat", "me", "3"]) {
      const path =
        template.replace(/\{(\w+)\}/g, (_, name) => (name === "id" ? id : (parts[name] ?? "1"))) + query;
      const texts = [undefined, carol, operatorKey].map((token) => client.get(path, { token }));
      found.set(path, (await Promise.all(texts)).map(({ text }) => text).join("\n"));
    }
  }
  for (const path of [
    "/api/v1/nicknames/ann",
    "/api/v1/ladders/chat/standings",
    "/api/v1/ladders/chat/export?what=matches&format=csv",
    "/api/v1/duels",
    "/api/v1/conversations/me",
    deadLetters,
  ])
    assert.match(found.get(path) ?? "", /Ann/i, `${path} says nothing of Ann`);
  return found;
}
