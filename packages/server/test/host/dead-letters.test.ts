import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LogUnavailable } from "../../src/log/log.ts";
import { turns } from "../support/test-clock.ts";
import { Post } from "./post.ts";
import { codeOf } from "./stage.ts";

const chat = "telegram/1";
const people = "directory/main";

/** An outbox with these messages to the chat as dead letters. */
async function refused(...texts: string[]): Promise<Post> {
  const post = new Post();
  post.sending = (_, text) => (texts.includes(text) ? { failure: "Blocked." } : "sent");
  await post.send(people, chat, ...texts);
  await post.deliver();
  return post;
}

describe("dead letters", () => {
  test("[CH7] a resent letter goes behind all waiting messages of its chat, and is removed once sent", async () => {
    const post = await refused("one");
    const [letter] = await post.deadLetters.list(undefined, 1);
    post.sending = () => undefined;
    await post.send(people, chat, "two", "three");
    await post.deliver();
    const resent = await post.deadLetters.resend(letter.number);
    assert.ok("number" in resent && resent.number > letter.number);
    assert.deepEqual(await post.deadLetters.list(undefined, 9), []);
    assert.deepEqual(await post.waiting(), ["two", "three", "one"]);
    post.sending = () => "sent";
    post.sends.at(-1)!.answer("sent");
    await turns();
    assert.deepEqual(post.textsTo(chat), ["one", "two", "three", "one"]);
    assert.deepEqual(await post.waiting(), []);
  });

  test("[CH7] after a crash, a resent letter stays behind the messages that waited when it was resent", async () => {
    const post = await refused("one");
    const [letter] = await post.deadLetters.list(undefined, 1);
    post.sending = () => undefined;
    await post.send(people, chat, "two");
    await post.deliver();
    await post.deadLetters.resend(letter.number);
    const next = post.another();
    await next.deliver();
    assert.deepEqual(next.textsTo(chat), ["two", "one"]);
  });

  test("[CH7] of several concurrent resends of one letter, one succeeds", async () => {
    const post = await refused("one");
    post.sending = () => "sent";
    const [{ number }] = await post.deadLetters.list(undefined, 1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post.deadLetters.resend(number)));
    await turns();
    assert.equal(answers.filter((answer) => "number" in answer).length, 1);
    for (const answer of answers.filter((each) => "refusal" in each))
      assert.equal(codeOf(answer), "delivery.not-found");
    assert.deepEqual(post.textsTo(chat), ["one", "one"]);
  });

  test("[CH7] [LD12] a letter to a stream is listed but cannot be resent, because the stream would ignore it as a duplicate", async () => {
    const post = new Post();
    post.refusal = { code: "ladder.not-found", message: "There is no such ladder." };
    await post.send("arena/a", "ladder/l", "one");
    await post.deliver();
    const [letter] = await post.deadLetters.list(undefined, 1);
    assert.equal(letter.reason, "ladder.not-found");
    assert.equal(letter.setAsideAt, post.clock.now());
    post.refusal = undefined;
    assert.equal(codeOf(await post.deadLetters.resend(letter.number)), "delivery.late");
    await turns();
    assert.equal(post.parcels.length, 1);
    assert.deepEqual(await post.setAside(), ["one: ladder.not-found"]);
  });

  test("[CH7] a letter of an unknown kind can be resent once a sender for it exists", async () => {
    const post = new Post({ senders: {} });
    await post.send(people, chat, "one");
    await post.deliver();
    const [{ number }] = await post.deadLetters.list(undefined, 1);
    await post.outbox.stop();
    const next = post.another();
    await next.deliver();
    assert.deepEqual(next.textsTo(chat), []);
    await next.deadLetters.resend(number);
    await turns();
    assert.deepEqual(next.textsTo(chat), ["one"]);
  });

  test("[CH7] a resent letter is delivered even if the log's answer is lost", async () => {
    const post = await refused("one");
    post.sending = () => "sent";
    const [{ number }] = await post.deadLetters.list(undefined, 1);
    post.log.resend = async (which) => {
      await post.log.inner.resend(which);
      throw new LogUnavailable("The answer was lost.");
    };
    await assert.rejects(post.deadLetters.resend(number), LogUnavailable);
    await turns();
    assert.deepEqual(post.textsTo(chat), ["one", "one"]);
    assert.deepEqual(await post.waiting(), []);
  });
});
