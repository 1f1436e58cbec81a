import assert from "node:assert/strict";
import { test } from "node:test";
import { range } from "../support/http.ts";
import { answered, turns, until, watched } from "../support/test-clock.ts";
import { broken, tooMany } from "./telegram-faults.ts";
import { busy, callsMade, fault, onStage } from "./telegram-stage.ts";

test("[CH6] messages arrive in order, after the webhook is removed; nothing but messages is requested", async (context) => {
  const { standIn, channel, receiver, told } = await onStage(context);
  assert.deepEqual([channel.name, channel.replies], ["telegram", "sent"]);
  assert.equal(channel.routes, undefined);
  const id = standIn.say(42, 42, "hello");
  channel.start!(receiver);
  standIn.say(42, 42, "throw rock @bob");
  standIn.say(-17, 43, "/top@OurBot");
  standIn.say(-17, 43, "so long");
  standIn.inject({ edited_message: standIn.message(42, 42, { text: "no" }) });
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(
    receiver.received.toSorted((a, b) => a.id.localeCompare(b.id)),
    [
      { id: standIn.idOf(id), sender: "42", place: "42", text: "hello" },
      { id: standIn.idOf(id + 1), sender: "42", place: "42", text: "throw rock @bob" },
      { id: standIn.idOf(id + 2), sender: "43", place: "-17", group: { title: "Group -17" }, text: "/top" },
    ],
  );
  assert.deepEqual(
    standIn.calls.slice(0, 3).map(({ method }) => method),
    ["getMe", "deleteWebhook", "getUpdates"],
  );
  const [first] = standIn.callsOf("getUpdates");
  assert.deepEqual(first, { allowed_updates: ["message"], timeout: 25 });
  assert.deepEqual(told, []);
});

test("[CH7] a batch is confirmed only when all of it is handled; otherwise it arrives again after a restart", async (context) => {
  const { standIn, channel, receiver, again } = await onStage(context);
  for (const text of ["a", "b"]) standIn.say(42, 42, text);
  standIn.say(43, 43, "c");
  receiver.hold();
  channel.start!(receiver);
  await until(() => receiver.held === 2, "the first of each chat");
  receiver.release();
  await until(() => receiver.held === 1, "the second");
  await turns(50);
  assert.equal(standIn.callsOf("getUpdates").length, 1);
  const stopped = watched(channel.stop!());
  await turns();
  assert.equal(stopped.settled, false, "it waits for the message being handled");
  receiver.release({ forGood: true });
  await answered(stopped.promise);
  assert.equal(standIn.pending, 3);

  const later = again();
  later.channel.start!(later.receiver);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(later.receiver.texts(42), ["a", "b"]);
  assert.deepEqual(later.receiver.texts(43), ["c"]);
});

test("[CH7] messages of one chat are handled in order, those of up to 16 chats concurrently", async (context) => {
  const { standIn, channel, receiver } = await onStage(context);
  const chats = range(20).map((index) => 100 + index);
  for (const text of ["1", "2", "3"]) for (const chat of chats) standIn.say(chat, chat, text);
  receiver.hold();
  channel.start!(receiver);
  await until(() => receiver.held === 16, "sixteen at once");
  await turns(50);
  assert.equal(receiver.held, 16);
  assert.equal(new Set(receiver.received.map(({ place }) => place)).size, 16, "one of each");
  while (receiver.received.length < 60) {
    const before = receiver.received.length;
    receiver.release();
    await until(() => receiver.received.length > before, "more arrives");
    assert.ok(receiver.held <= 16);
  }
  receiver.release({ forGood: true });
  await until(() => standIn.pending === 0, "all is confirmed");
  for (const chat of chats) assert.deepEqual(receiver.texts(chat), ["1", "2", "3"]);
});

test("[CH7] a message refused for now is retried before later ones; other chats continue", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  receiver.script.set("a", [busy, busy, { ...busy, retryAfterSeconds: 9 }]);
  for (const text of ["a", "b"]) standIn.say(42, 42, text);
  for (const text of ["c", "d"]) standIn.say(43, 43, text);
  channel.start!(receiver);
  for (const wait of [1_000, 2_000, 9_000]) {
    await until(() => waits().at(-1) === wait, `a wait of ${wait}`);
    assert.ok(!receiver.texts().includes("b"));
    await clock.advance(wait);
  }
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(42), ["a", "a", "a", "a", "b"]);
  assert.deepEqual(receiver.texts(43), ["c", "d"]);
  assert.equal(new Set(receiver.received.filter(({ text }) => text === "a").map(({ id }) => id)).size, 1);
  assert.deepEqual(standIn.callsOf("getUpdates").length, 2, "nothing was requested meanwhile");
  assert.deepEqual(told, []);
});

test("[CH7] a permanent refusal, or an exception, is reported and confirmed; later messages are handled", async (context) => {
  const { standIn, channel, receiver, told, waits } = await onStage(context);
  receiver.script.set("bad", [fault]);
  receiver.script.set("worse", [new Error("the receiver hurts")]);
  const ids = ["bad", "worse", "good"].map((text) => standIn.say(42, 42, text));
  channel.start!(receiver);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["bad", "worse", "good"]);
  assert.equal(told.length, 2);
  assert.match(told[0], new RegExp(`Update ${ids[0]} .*: Something went wrong`));
  assert.match(told[1], /the receiver hurts/);
  assert.deepEqual(waits(), []);
});

test("[CH7] updates that cannot be confirmed do not cause a busy loop; later ones are handled", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  standIn.inject(null);
  channel.start!(receiver);
  await until(() => waits().length === 1, "a rest");
  assert.equal(standIn.callsOf("getUpdates").length, 1);
  standIn.say(42, 42, "hello");
  await clock.advance(1_000);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["hello"]);
  assert.equal(told.length, 2);
});

test("[CH6] [CH7] a group move is handled in order, and retried if it was refused for now", async (context) => {
  const { standIn, channel, receiver, clock, waits } = await onStage(context);
  receiver.script.set("moved", [busy]);
  standIn.say(-17, 42, "/before");
  const id = standIn.inject({ message: standIn.message(-17, 42, { migrate_to_chat_id: -1_000_017 }) });
  standIn.say(-1_000_017, 42, "/after");
  channel.start!(receiver);
  await until(() => waits().length === 1, "a rest");
  assert.deepEqual(receiver.texts(), ["/before"], "nothing at the new address before it is known");
  await clock.advance(1_000);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.moves, [
    ["-17", "-1000017", standIn.idOf(id)],
    ["-17", "-1000017", standIn.idOf(id)],
  ]);
  assert.deepEqual(receiver.texts(), ["/before", "/after"]);
});

test("[CH7] a message that keeps causing server faults is given up, and does not block the others", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  receiver.script.set("poison", Array(20).fill({ ...fault, retryable: true }));
  standIn.say(42, 42, "poison");
  standIn.say(42, 42, "after");
  channel.start!(receiver);
  await until(() => waits().length === 1, "a rest");
  await clock.advance(600_000);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts().slice(-2), ["poison", "after"]);
  assert.equal(receiver.texts().filter((text) => text === "poison").length, 10);
  assert.match(told.join(), /cannot be handled: Something went wrong/);
});

test("[CH7] Telegram's errors are retried with growing pauses, and reported once per streak", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  const page = { raw: "<html>502</html>" };
  const streak = ["lost", broken, broken, page, { raw: "null" }, { raw: '{"ok":true,"result":{}}' }] as const;
  standIn.script("getUpdates", ...streak, "lost");
  channel.start!(receiver);
  const expected = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
  for (const [index, wait] of expected.entries()) {
    await until(() => waits().length === index + 1, `wait ${index + 1}`);
    assert.equal(standIn.callsOf("getUpdates").length, index + 1);
    await clock.advance(wait);
  }
  assert.deepEqual(waits(), expected);
  standIn.say(42, 42, "hello");
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.equal(told.length, 2, "one report for the network, one for the 500s");
  assert.match(told[1], /500: Internal Server Error/);
  standIn.script("getUpdates", "lost");
  standIn.say(42, 42, "again");
  await until(() => waits().length === 8, "another wait");
  assert.equal(waits()[7], 1_000, "a new streak is reported again");
  assert.equal(told.length, 3);
  await clock.advance(1_000);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(receiver.texts(), ["hello", "again"]);
});

test("[CH7] 429 waits as long as Telegram says, 409 until the other poller stops, and a wrong token is retried every minute", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  const conflict = { status: 409, description: "Conflict: terminated by other getUpdates request" };
  standIn.script("getMe", { status: 401, description: "Unauthorized" }, tooMany(3));
  standIn.script("getUpdates", tooMany(7), conflict, conflict);
  standIn.say(42, 42, "hello");
  channel.start!(receiver);
  const expected = [60_000, 3_000, 7_000, 1_000, 2_000];
  for (const [index, wait] of expected.entries()) {
    await until(() => waits().length === index + 1 && clock.timers === 1, `a wait of ${wait}`);
    if (index < 2) assert.equal(standIn.calls.length, index + 1, "nothing is fetched before");
    await clock.advance(wait);
  }
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.deepEqual(waits(), expected);
  assert.match(told[0], /rejects the bot token \(401: Unauthorized\)/);
  assert.equal(told.filter((text) => text.includes("Another program polls")).length, 1);
  assert.deepEqual(receiver.texts(), ["hello"]);
});

test("[CH6] a missing bot, or one without a name, is requested again", async (context) => {
  const { standIn, channel, receiver, clock, waits } = await onStage(context);
  for (const result of [{}, { id: 1, username: "a b" }, { id: "1", username: "a" }, null, []])
    standIn.script("getMe", { raw: JSON.stringify({ ok: true, result }) });
  channel.start!(receiver);
  for (const count of [1, 2, 3, 4, 5]) {
    await until(() => waits().length === count, `wait ${count}`);
    await clock.advance(waits().at(-1)!);
  }
  await callsMade(standIn, "getUpdates", 1);
});

test("[CH7] a poll without a response is aborted and repeated", async (context) => {
  const { standIn, channel, receiver, clock, waits, told } = await onStage(context);
  standIn.script("getUpdates", "silence");
  standIn.say(42, 42, "hello");
  channel.start!(receiver);
  await callsMade(standIn, "getUpdates", 1);
  await clock.advance(35_000);
  await until(() => waits().length === 1, "a wait");
  assert.match(told[0], /did not answer in time/);
  await clock.advance(1_000);
  await until(() => standIn.pending === 0, "all is confirmed");
});

test("[CH7] a shutdown aborts the request in progress and every wait", async (context) => {
  const idle = await onStage(context);
  idle.channel.start!(idle.receiver);
  await callsMade(idle.standIn, "getUpdates", 1);
  await answered(idle.channel.stop!(), "the stop");
  assert.deepEqual(idle.told, []);

  const waiting = await onStage(context);
  waiting.receiver.script.set("a", [busy]);
  for (const text of ["a", "b"]) waiting.standIn.say(42, 42, text);
  waiting.channel.start!(waiting.receiver);
  await until(() => waiting.waits().length === 1, "a wait");
  await answered(waiting.channel.stop!(), "the stop");
  assert.deepEqual(waiting.receiver.texts(), ["a"]);
  assert.equal(waiting.standIn.pending, 2);

  const unstarted = await onStage(context);
  unstarted.standIn.script("getMe", "silence");
  unstarted.channel.start!(unstarted.receiver);
  await callsMade(unstarted.standIn, "getMe", 1);
  await answered(unstarted.channel.stop!(), "the stop");
});

test("[CH6] updates that arrive again although they were confirmed are handled again, without a busy loop", async (context) => {
  const { standIn, channel, receiver, clock, waits } = await onStage(context);
  const id = standIn.say(42, 42, "a");
  const message = standIn.message(42, 42, { text: "a" });
  channel.start!(receiver);
  await until(() => standIn.pending === 0, "all is confirmed");
  standIn.script("getUpdates", { raw: JSON.stringify({ ok: true, result: [{ update_id: id, message }] }) });
  standIn.say(42, 42, "b");
  await until(() => waits().length === 1, "a rest");
  assert.equal(receiver.received.filter((received) => received.id === standIn.idOf(id)).length, 2);
  await clock.advance(1_000);
  await until(() => standIn.pending === 0, "all is confirmed");
  assert.equal(receiver.texts().at(-1), "b");
});
