import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Sending } from "../../src/host/outbox/channel-sender.ts";
import { answered, turns, watched } from "../support/test-clock.ts";
import { numbered, Post } from "./post.ts";

const chat = "telegram/1";
const people = "directory/main";
const busy: Sending = { retry: "Too many requests." };

describe("outbox deliveries to channels across stops and crashes", () => {
  test("[CH7] a stop during a backoff ends at once, and the next start sends everything in order", async () => {
    const post = new Post();
    post.sending = () => ({ retry: "Later.", afterMs: 30_000 });
    await post.send(people, chat, "one", "two");
    await post.deliver();
    assert.equal(post.clock.timers, 1);
    await answered(post.outbox.stop());
    assert.equal(post.clock.timers, 0);
    await post.clock.advance(600_000);
    assert.deepEqual(post.textsTo(chat), ["one"]);
    const next = post.another();
    await next.deliver();
    assert.deepEqual(next.textsTo(chat), ["one", "two"]);
    assert.deepEqual(await next.waiting(), []);
  });

  test("[CH7] a stop finishes deliveries under way and starts no others, not even queued ones", async () => {
    const post = new Post();
    post.sending = () => undefined;
    for (let number = 1; number <= 30; number++) await post.send(people, `telegram/${number}`, `m${number}`);
    await post.send(people, "telegram/1", "again");
    await post.deliver();
    const stopped = watched(post.outbox.stop());
    await turns();
    assert.ok(!stopped.settled, "unfinished work is left");
    assert.equal(post.sends.length, 16);
    for (const { answer } of post.sends.slice(0, 15)) answer("sent");
    post.sends[15].answer(busy);
    await answered(stopped.promise);
    await post.clock.advance(600_000);
    assert.equal(post.sends.length, 16);
    assert.equal(post.clock.timers, 0);
    assert.equal((await post.waiting()).length, 31 - 15);
  });

  test("[CH7] a stop while a queue reads the log delivers nothing of what was read", async () => {
    const post = new Post();
    let reading: (() => void) | undefined;
    const { outboxOf } = post.log;
    post.log.outboxOf = async (...question) => {
      await new Promise<void>((resolve) => {
        reading = resolve;
      });
      return outboxOf.apply(post.log, question);
    };
    await post.send(people, chat, ...numbered(25));
    await post.deliver();
    await turns(40);
    assert.equal(post.sends.length, 20);
    const stopped = post.outbox.stop();
    reading!();
    await answered(stopped);
    assert.equal(post.sends.length, 20);
    assert.equal((await post.waiting()).length, 5);
  });

  for (const sending of ["sent", { failure: "Blocked." }] as const) {
    test(`[CH7] a message ${sending === "sent" ? sending : "refused"} while the log is down is recorded when it is back, and not sent again`, async () => {
      const post = new Post();
      post.sending = () => undefined;
      await post.send(people, chat, "one", "two");
      await post.deliver();
      post.log.down = true;
      post.sends[0].answer(sending);
      for (let second = 0; second < 100; second++) await post.clock.advance(1_000);
      assert.deepEqual(post.textsTo(chat), ["one"]);
      assert.ok(post.errors.length > 0, "the outage of the log is reported");
      post.log.down = false;
      post.sending = () => "sent";
      await post.clock.advance(60_000);
      assert.deepEqual(post.textsTo(chat), ["one", "two"]);
      assert.deepEqual(await post.waiting(), []);
      assert.deepEqual(await post.setAside(), sending === "sent" ? [] : ["one: Blocked."]);
    });
  }
});
