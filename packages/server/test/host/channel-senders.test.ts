import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Sending } from "../../src/host/outbox/channel-sender.ts";
import type { Outgoing } from "../../src/log/log.ts";
import type { HeldLog } from "../support/held-log.ts";
import { turns } from "../support/test-clock.ts";
import { numbered, Post } from "./post.ts";

const chat = "telegram/1";
const people = "directory/main";
const busy: Sending = { retry: "Too many requests." };

/** Advances the clock second by second, and returns the seconds in which a sender got a message. */
async function secondsOfTries(post: Post, seconds: number): Promise<number[]> {
  const tries: number[] = [];
  for (let second = 1; second <= seconds; second++) {
    const before = post.sends.length;
    await post.clock.advance(1_000);
    if (post.sends.length > before) tries.push(second);
  }
  return tries;
}

/** The next query of this kind is sent at once, and answered when the test says so. */
function heldAnswer(log: HeldLog, kind: "outbox" | "outboxOf"): () => void {
  const ask = log[kind] as (...question: unknown[]) => Promise<Outgoing[]>;
  let answer = () => {};
  log[kind] = async (...question: unknown[]) => {
    log[kind] = ask;
    const page = await ask.apply(log, question);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return page;
  };
  return () => answer();
}

describe("outbox deliveries to channels", () => {
  test("[CH7] each message is sent by the sender of its kind, in order within its chat across sources, and then removed", async () => {
    const post = new Post();
    await post.send(people, "telegram/1", "one");
    await post.send("ladder/club", "telegram/1", "two");
    await post.send(people, "sms/1", "other");
    await post.send(people, "telegram/1", "three");
    await post.deliver();
    assert.deepEqual(post.textsTo("telegram/1"), ["one", "two", "three"]);
    assert.deepEqual(post.textsTo("sms/1"), ["other"]);
    assert.deepEqual(await post.waiting(), []);
    assert.deepEqual(post.outbox.counts, { arrived: 0, refused: 0, held: 0, sent: 4, setAside: 0 });
    assert.equal(post.clock.timers, 0);
  });

  test("[LM6][CH7] a sender that asks to wait is retried in order for as long as it takes, without counting as failed", async () => {
    const post = new Post();
    const hour = 3_600_000;
    let left = 1;
    post.sending = () => (left-- > 0 ? "sent" : { waitMs: hour });
    const texts = numbered(24);
    await post.send(people, "sms/1", ...texts);
    await post.deliver();
    for (let sent = 1; sent < texts.length; sent++) {
      assert.deepEqual(await post.waiting(), texts.slice(sent));
      await post.clock.advance(hour - 1);
      left = 1;
      await post.clock.advance(1);
    }
    assert.deepEqual(await post.waiting(), []);
    const sends = post.outbox.counts;
    assert.deepEqual([sends.sent, sends.setAside, sends.held], [24, 0, 0]);
  });

  test("[CH7] a failed message is retried with backoff, and nothing in its chat overtakes it", async () => {
    const post = new Post();
    let isUp = false;
    post.sending = () => (isUp ? "sent" : busy);
    await post.send(people, chat, "one", "two");
    await post.deliver();
    assert.deepEqual(await secondsOfTries(post, 20), [1, 3, 7, 15]);
    await post.send(people, chat, "three");
    await post.deliver();
    assert.equal(post.sends.length, 5, "new messages do not cause an earlier retry");
    assert.equal(post.outbox.counts.held, 1);
    isUp = true;
    await post.clock.advance(60_000);
    assert.deepEqual(post.textsTo(chat), [...Array(6).fill("one"), "two", "three"]);
    assert.deepEqual(await post.waiting(), []);
    assert.equal(post.outbox.counts.held, 0);
    assert.deepEqual(post.errors, [], "a busy receiver is not a server fault");
  });

  const waits = [
    { afterMs: 30_000, at: 30, what: "as long as the other side said" },
    { afterMs: 10 * 60 * 60_000, at: 3_600, what: "an hour at the most" },
    { afterMs: 0, at: 1, what: "a second at the least" },
    { afterMs: -5, at: 1, what: "a second, whatever nonsense was said" },
    { afterMs: Number.NaN, at: 1, what: "a second, when it was no number" },
  ];
  for (const { afterMs, at, what } of waits) {
    test(`[CH7] if a sender asks to wait ${afterMs} ms, its chat waits ${what} and other chats do not`, async () => {
      const post = new Post();
      let isUp = false;
      post.sending = (to) => (to !== chat || isUp ? "sent" : { retry: "Too many.", afterMs });
      await post.send(people, chat, "one");
      await post.send(people, "telegram/2", "other");
      await post.deliver();
      assert.deepEqual(post.textsTo("telegram/2"), ["other"]);
      isUp = true;
      await post.clock.advance(at * 1_000 - 1);
      assert.deepEqual(post.textsTo(chat), ["one"]);
      await post.clock.advance(1);
      assert.deepEqual(post.textsTo(chat), ["one", "one"]);
      assert.deepEqual(await post.waiting(), []);
    });
  }

  test("[CH7] after twenty consecutive failures a message becomes a dead letter with the last reason, and the next message has its own twenty", async () => {
    const post = new Post();
    let tries = 0;
    post.sending = (_, text) => (text === "three" ? "sent" : { retry: `Failure ${++tries}.` });
    await post.send(people, chat, "one", "two", "three");
    await post.deliver();
    await secondsOfTries(post, 2_000);
    assert.deepEqual(post.textsTo(chat), [...Array(20).fill("one"), ...Array(20).fill("two"), "three"]);
    assert.deepEqual(await post.setAside(), ["one: Failure 20.", "two: Failure 40."]);
    assert.deepEqual(await post.waiting(), []);
    assert.deepEqual(post.outbox.counts, { arrived: 0, refused: 0, held: 0, sent: 1, setAside: 2 });
  });

  test("[CH7] only consecutive failures count: a success resets the count", async () => {
    const post = new Post();
    const left = new Map([
      ["one", 19],
      ["two", 19],
    ]);
    post.sending = (_, text) => {
      const failures = left.get(text)!;
      left.set(text, failures - 1);
      return failures > 0 ? busy : "sent";
    };
    await post.send(people, chat, "one", "two");
    await post.deliver();
    await secondsOfTries(post, 2_000);
    assert.equal(post.outbox.counts.sent, 2);
    assert.deepEqual(await post.setAside(), []);
  });

  test("[CH7] a message that can never be sent becomes a dead letter at once, and the next follows without a pause", async () => {
    const post = new Post();
    post.sending = (_, text) => (text === "one" ? { failure: `Blocked. ${"x".repeat(1_000)}` } : "sent");
    await post.send(people, chat, "one", "two");
    await post.clock.advance(1_234);
    await post.deliver();
    assert.deepEqual(post.textsTo(chat), ["one", "two"]);
    assert.deepEqual(await post.waiting(), []);
    const [letter] = await post.deadLetters.list(undefined, 10);
    assert.equal(letter.reason, `Blocked. ${"x".repeat(1_000)}`.slice(0, 500));
    assert.equal(letter.setAsideAt, post.clock.now());
    assert.equal(post.clock.timers, 0);
    assert.deepEqual(post.errors, [], "a person who blocked the bot is not a server fault");
  });

  test("[CH7] an exception in a sender is reported and retried, and its message is hidden from operators", async () => {
    const post = new Post();
    post.sending = () => undefined;
    await post.send(people, chat, "one");
    await post.deliver();
    for (let attempt = 0; attempt < 20; attempt++) {
      post.sends[attempt].fail(new Error("fetch of https://example/botSECRET failed"));
      await turns();
      await post.clock.advance(60_000);
    }
    assert.equal(post.sends.length, 20);
    assert.equal(post.errors.length, 20);
    assert.deepEqual(await post.setAside(), ["one: The sender failed. The server's logs say why."]);
  });

  test("[CH7] messages for an unknown kind become dead letters and delay nothing", async () => {
    const post = new Post();
    await post.send(people, "pigeon/1", "one");
    await post.send(people, chat, "two");
    await post.deliver();
    assert.deepEqual(post.textsTo(), ["two"]);
    assert.deepEqual(await post.setAside(), ["one: This server has no sender for this channel."]);
    assert.deepEqual(post.errors, []);
  });

  test("[CH7] a queue that reads the log skips items of a concurrent read of the whole outbox, so none is sent twice", async () => {
    const post = new Post();
    post.sending = () => undefined;
    await post.send(people, chat, ...numbered(25));
    await post.deliver();
    const answer = heldAnswer(post.log, "outbox");
    await post.send(people, chat, "last");
    await post.deliver();
    post.sending = () => "sent";
    post.sends[0].answer("sent");
    await turns(40);
    assert.deepEqual(post.textsTo(chat), numbered(25));
    answer();
    await turns();
    assert.deepEqual(post.textsTo(chat), [...numbered(25), "last"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[CH7] items added to a queue while it reads the log are delivered", async () => {
    const post = new Post();
    const answer = heldAnswer(post.log, "outboxOf");
    await post.send(people, chat, ...numbered(25));
    await post.deliver();
    await turns(40);
    assert.deepEqual(post.textsTo(chat), numbered(20));
    await post.send(people, chat, "last");
    await post.deliver();
    answer();
    await turns(40);
    assert.deepEqual(post.textsTo(chat), [...numbered(25), "last"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[CH7] items that arrive at the moment a queue ends are delivered", async () => {
    for (let moments = 0; moments < 20; moments++) {
      const post = new Post();
      post.sending = () => undefined;
      await post.send(people, chat, "one");
      await post.deliver();
      const answer = heldAnswer(post.log, "outbox");
      await post.send(people, chat, "two");
      await post.deliver();
      post.sending = () => "sent";
      post.sends[0].answer("sent");
      for (let moment = 0; moment < moments; moment++) await undefined;
      answer();
      await turns();
      assert.deepEqual(post.textsTo(chat), ["one", "two"], `after ${moments} moments`);
    }
  });

  test("[CH7] at most sixteen messages of a kind are sent at once, the others follow in order", async () => {
    const post = new Post();
    post.sending = (to) => (to.startsWith("sms/") ? "sent" : undefined);
    for (let number = 1; number <= 40; number++) await post.send(people, `telegram/${number}`, `m${number}`);
    await post.send(people, "telegram/1", "again");
    await post.send(people, "sms/1", "text");
    await post.deliver();
    assert.deepEqual(post.textsTo("sms/1"), ["text"], "other kinds do not wait");
    const telegrams = () => post.textsTo().filter((text) => text !== "text");
    assert.equal(telegrams().length, 16);
    for (let number = 0; number < 41; number++) {
      post.sends.filter(({ text }) => text !== "text")[number].answer("sent");
      await turns(4);
      assert.equal(telegrams().length, Math.min(17 + number, 41));
    }
    const came = Array.from({ length: 40 }, (_, index) => `m${index + 1}`);
    assert.deepEqual(telegrams(), [...came, "again"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[CH7] at the maximum number of queues, reading pauses until one ends, and nothing is lost", async () => {
    const post = new Post({ queuesMax: 500 });
    post.sending = (to) => (to === "telegram/0" ? undefined : busy);
    for (let number = 0; number < 500; number++) await post.send(people, `telegram/${number}`, `m${number}`);
    await post.send(people, "sms/1", "late");
    await post.deliver();
    await turns(100);
    assert.deepEqual(post.textsTo("sms/1"), []);
    post.sending = (to) => (to.startsWith("sms/") ? "sent" : busy);
    post.sends.find(({ to }) => to === "telegram/0")!.answer("sent");
    await turns();
    assert.deepEqual(post.textsTo("sms/1"), ["late"]);
  });
});
