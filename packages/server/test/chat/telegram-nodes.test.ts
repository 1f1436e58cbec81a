import assert from "node:assert/strict";
import { test } from "node:test";
import { range } from "../support/http.ts";
import { answered, turns, until } from "../support/test-clock.ts";
import { randomOf } from "./telegram-faults.ts";
import { busy, callsMade, FakeReceiver, FastClock, onStage } from "./telegram-stage.ts";

test("[CH6] [CL2] a node that is not the leader does not poll; it polls after becoming the leader, before or after the start", async (context) => {
  const { standIn, channel, receiver, again } = await onStage(context, { isOurs: false });
  standIn.say(42, 42, "hello");
  channel.start!(receiver);
  await callsMade(standIn, "getMe", 1);
  await turns(50);
  assert.deepEqual(
    standIn.calls.map(({ method }) => method),
    ["getMe"],
  );
  channel.fetch!(true);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["hello"]);
  channel.fetch!(false);
  standIn.say(42, 42, "and now");

  const other = again();
  other.channel.fetch!(true);
  other.channel.start!(other.receiver);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual([receiver.texts(), other.receiver.texts()], [["hello"], ["and now"]]);
});

test("[CH7] [CL2] a node that loses leadership aborts its request and every wait, and resumes when it gets leadership back", async (context) => {
  const { standIn, channel, receiver, clock, told, waits } = await onStage(context);
  channel.start!(receiver);
  await callsMade(standIn, "getUpdates", 1);
  channel.fetch!(false);
  await until(() => clock.timers === 0, "the request has ended");
  standIn.say(42, 42, "hello");
  await turns(50);
  assert.equal(standIn.callsOf("getUpdates").length, 1);
  receiver.script.set("hello", [busy]);
  channel.fetch!(true);
  await until(() => waits().length === 1, "a wait");
  channel.fetch!(false);
  await until(() => clock.timers === 0, "the wait has ended");
  channel.fetch!(true);
  channel.fetch!(true);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["hello", "hello"], "once per refusal, and once more");
  assert.equal(standIn.callsOf("deleteWebhook").length, 3, "it began three times");
  assert.deepEqual(told, []);
});

test("[CH7] [CL2] messages in progress during a change of leader arrive again at the new one; only handled messages are confirmed", async (context) => {
  const { standIn, channel, receiver, again } = await onStage(context);
  for (const text of ["a", "b", "c"]) standIn.say(42, 42, text);
  receiver.hold();
  channel.start!(receiver);
  await until(() => receiver.held === 1, "the first is being handled");
  channel.fetch!(false);
  const other = again();
  other.channel.start!(other.receiver);
  await until(() => standIn.pending === 0, "all is confirmed");
  receiver.release({ forGood: true });
  await turns(50);
  assert.deepEqual([receiver.texts(), other.receiver.texts()], [["a"], ["a", "b", "c"]]);
  assert.equal(new Set([...receiver.received, ...other.receiver.received].map(({ id }) => id)).size, 3);
});

test("[CH7] [CL2] a node that regains leadership while it handles messages continues only after that, and in order", async (context) => {
  const { standIn, channel, receiver } = await onStage(context);
  for (const text of ["a", "b"]) standIn.say(42, 42, text);
  receiver.hold();
  channel.start!(receiver);
  await until(() => receiver.held === 1, "the first is being handled");
  channel.fetch!(false);
  channel.fetch!(true);
  await turns(50);
  assert.deepEqual(receiver.texts(), ["a"]);
  receiver.release({ forGood: true });
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["a", "a", "b"]);
});

test("[CH7] [CL2] two nodes that poll at once are rejected alternately; nothing is lost, and one of them prevails", async (context) => {
  const one = await onStage(context);
  const two = one.again();
  const { standIn } = one;
  one.channel.start!(one.receiver);
  await callsMade(standIn, "getUpdates", 1);
  two.channel.start!(two.receiver);
  await until(() => one.told.length === 1, "the first is rejected");
  assert.match(one.told[0], /Another program polls for the messages of this bot/);
  standIn.say(42, 42, "to the second");
  await until(() => standIn.pending === 0, "all is confirmed");
  await one.clock.advance(1_000);
  await until(() => two.told.length === 1, "the second is rejected");
  two.channel.fetch!(false);
  standIn.say(42, 42, "to the first");
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual([one.receiver.texts(), two.receiver.texts()], [["to the first"], ["to the second"]]);
  await answered(two.channel.stop!(), "the stop");
});

for (const seed of range(3))
  test(`[CH7] [CL2] seed ${seed}: through changes of leader and every kind of fault, each message is handled, those of a chat in order`, async (context) => {
    const rates = { drop: 8, lost: 5, limited: 3, broken: 5, slow: 20, repeat: 20, malformed: 5 };
    const given = { clock: new FastClock(), pollSeconds: 5, isOurs: false };
    const first = await onStage(context, given, { seed, rates });
    const nodes = [first, first.again(), first.again()];
    const { standIn } = first;
    // All nodes share a log, so each knows what the others have received.
    const receiver = new FakeReceiver();
    for (const { channel } of nodes) channel.start!(receiver);
    const random = randomOf(seed);
    const chats = range(6).map((index) => 100 + index);
    const sent = new Map<number, number[]>(chats.map((chat) => [chat, []]));
    for (const text of range(15).map(String)) {
      // For a while, no node or several nodes may believe that they are the leader.
      for (const { channel } of nodes) channel.fetch!(random() < 0.4);
      for (const chat of chats) sent.get(chat)!.push(standIn.say(chat, chat, text));
      await new Promise((resolve) => setTimeout(resolve, random() * 60));
    }
    for (const [index, { channel }] of nodes.entries()) channel.fetch!(index === seed % nodes.length);
    await until(() => standIn.pending === 0, "all is confirmed");
    for (const chat of chats) {
      const received = receiver.received.filter(({ place }) => place === String(chat));
      const updates = new Set(received.map(({ id }) => standIn.updateOf(id)));
      assert.deepEqual([...updates], sent.get(chat), "first deliveries are in the order of the chat");
    }
  });
