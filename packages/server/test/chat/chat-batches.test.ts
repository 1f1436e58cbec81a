import assert from "node:assert/strict";
import { test } from "node:test";
import type { LadderEvent } from "@openseat/kernel";
import type { Append } from "../../src/log/log.ts";
import type { Json } from "../support/http.ts";
import { onChatStage } from "./chat-stage.ts";

const message = (userId: string, messageId: string, text: string) => ({ messageId, text, userId });

/** Whether a message with this id is among what is to be written. */
const holds =
  (id: string, kind = "directory") =>
  ({ stream, lines }: Append) =>
    stream.startsWith(`${kind}/`) && lines.some((line) => line.includes(` ${id}"`));

const idsOf = (failures: readonly Json[]) => failures.map(({ itemIdentifier }) => itemIdentifier);

test("[CH3] messages that cannot be stored are named; resent they take effect, and the others do not again", () =>
  onChatStage({}, async (stage) => {
    await stage.reply("bob", "nick Bob");
    const batch = [
      message("ann", "1", "nick Ann"),
      message("ann", "2", "throw rock @Bob"),
      message("ann", "3", "nick Anna"),
      message("bob", "4", "nick Robert"),
    ];
    stage.log.refuses = holds("2");
    const { status, body } = await stage.batch(batch);
    assert.deepEqual(
      [status, body.success, body.message],
      [200, true, "Some messages were not received. Send those again."],
    );
    assert.deepEqual(idsOf(body.data.batchItemFailures), ["2", "3"]);
    assert.deepEqual(
      body.data.failures.map(({ messageId, code }: Json) => [messageId, code]),
      [
        ["2", "log.unavailable"],
        ["3", "log.unavailable"],
      ],
    );
    assert.deepEqual(
      body.data.replies.map(({ messageId }: Json) => messageId),
      ["1", "4"],
    );
    assert.match(body.data.replies[0].reply, /^Hello, Ann!/);
    stage.log.refuses = () => false;
    const received = await stage.received();
    assert.deepEqual(received.slice(1).sort(), ["web ann 1", "web bob 4"]);
    // Robert's old name is gone meanwhile: the resent message is handled now.
    const again = await stage.batch(batch);
    assert.deepEqual(again.body.data.batchItemFailures, []);
    const replies = again.body.data.replies.map(({ reply }: Json) => reply);
    assert.deepEqual(
      [replies[0], replies[3]],
      body.data.replies.map(({ reply }: Json) => reply),
    );
    assert.match(replies[1], /^Nobody here has the nickname Bob/);
    assert.match(replies[2], /^You are Anna now/);
    assert.deepEqual(
      (await stage.received()).slice(received.length),
      ["web ann 2", "web ann 3"],
      "only the messages that were not received, in their order",
    );
  }));

test("[CH2] [CH3] stored by the directory but not by the ladder: named, and resent it gets the reply to the original question", () =>
  onChatStage({}, async (stage) => {
    for (const name of ["Ann", "Bob"]) {
      await stage.reply(name.toLowerCase(), `nick ${name}`);
      await stage.reply(name.toLowerCase(), "register");
    }
    stage.log.refuses = holds("m", "ladder");
    const batch = [message("ann", "m", "match @Bob 3-1")];
    const { body } = await stage.batch(batch);
    assert.deepEqual(idsOf(body.data.batchItemFailures), ["m"]);
    stage.log.refuses = () => false;
    // The names were resolved when the message was received.
    await stage.reply("bob", "nick Robert");
    await stage.reply("cat", "nick Bob");
    const again = await stage.batch(batch);
    assert.match(again.body.data.replies[0].reply, /^Match 1: Ann 3, Bob 1\./);
    assert.deepEqual((await stage.batch(batch)).body.data, again.body.data);
    const counted = (await stage.entries<LadderEvent>("ladder/chat")).flatMap(({ events }) =>
      events.filter(({ type }) => type === "counted"),
    );
    assert.equal(counted.length, 1);
    assert.equal((await stage.received()).filter((key) => key === "web ann m").length, 1);
  }));

test("[CH3] of a mixed batch, only messages that may succeed later are to be redelivered", () =>
  onChatStage({}, async (stage) => {
    stage.log.refuses = holds("2");
    const { body } = await stage.batch([
      { messageId: "1", text: "help" },
      message("chat_7", "1b", "help"),
      message("ann", "2", "nick Ann"),
    ]);
    assert.deepEqual(idsOf(body.data.batchItemFailures), ["2"]);
    assert.deepEqual(
      body.data.failures.map(({ messageId, code, retryable }: Json) => [messageId, code, retryable]),
      [
        ["1", "input.invalid", false],
        ["1b", "input.invalid", false],
        ["2", "log.unavailable", true],
      ],
    );
    assert.equal(body.message, "Some messages were not received. Send those again.");
  }));

test("[CH1] [CH2] written although the disk reported a failure: resent, it is the same message", () =>
  onChatStage({}, async (stage) => {
    await stage.reply("ann", "nick Ann");
    await stage.reply("bob", "nick Bob");
    await stage.settle();
    stage.log.holding = true;
    const first = stage.say("ann", "throw rock @Bob", "t");
    await stage.settle();
    stage.log.held.splice(0)[0].fail(true);
    const received = await first;
    assert.ok("refusal" in received && received.refusal.retryable, JSON.stringify(received));
    stage.log.releaseAll();
    assert.match(await stage.reply("bob", "throw paper @Ann"), /^You threw paper, Ann threw rock: you win!/);
    assert.match(await stage.reply("ann", "throw rock @Bob", "t"), /^You threw\. It is secret until Bob/);
    assert.match(await stage.reply("ann", "games"), /no open duels/);
  }));

test("[CH3] a message that can never be handled is answered, not redelivered, and does not block later ones", () =>
  onChatStage({}, async (stage) => {
    await stage.reply("ann", "nick Ann");
    // As if another request of hers had used the message's key.
    const command = { type: "take-name", person: "ann", nickname: "Anna" } as never;
    await stage.parts.directory.ask(command, "ann", "web ann 1");
    const { body } = await stage.batch([message("ann", "1", "help"), message("ann", "2", "help")]);
    assert.deepEqual(body.data.batchItemFailures, []);
    const [{ messageId, code, retryable }] = body.data.failures;
    assert.deepEqual([messageId, code, retryable], ["1", "key.reused", false]);
    assert.match(body.data.replies[0].reply, /^You are Anna\./);
  }));
