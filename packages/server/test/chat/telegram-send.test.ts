import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel } from "../../src/app/chat/channel.ts";
import { telegram } from "../../src/channels/telegram.ts";
import { answered, TestClock, turns, until, watched } from "../support/test-clock.ts";
import { broken, type Mishap, tooMany } from "./telegram-faults.ts";
import { callsMade, FakeReceiver, onStage, type Stage } from "./telegram-stage.ts";
import { TelegramStandIn } from "./telegram-stand-in.ts";

/** A stage on which two people have talked with the bot before. */
async function onTalkingStage(context: Parameters<typeof onStage>[0]): Promise<Stage> {
  const stage = await onStage(context);
  for (const chat of [42, -17]) stage.standIn.message(chat, 42, {});
  return stage;
}

const retryOf = async (channel: Channel, text = "hello") => {
  const sending = await channel.send("42", text);
  assert.ok(typeof sending === "object" && "retry" in sending, JSON.stringify(sending));
  return sending;
};

test("[CH7] a message is sent unchanged, as plain text without link previews", async (context) => {
  const { standIn, channel } = await onTalkingStage(context);
  const text = "*Not* <b>bold</b>: https://example.test/_a_ 🪨";
  assert.equal(await channel.send("42", text), "sent");
  assert.equal(await channel.send("-17", "To all."), "sent");
  assert.deepEqual(standIn.received(42), [text]);
  assert.deepEqual(standIn.received(-17), ["To all."]);
  const [{ chat_id, ...sent }] = standIn.callsOf("sendMessage");
  assert.equal(String(chat_id), "42");
  assert.deepEqual(sent, { text, link_preview_options: { is_disabled: true } });
});

test("[LM2] a text longer than Telegram allows is truncated, and not within a character", async (context) => {
  const { standIn, channel } = await onTalkingStage(context);
  const texts = ["a".repeat(4_096), "a".repeat(4_097), "a".repeat(100_000), `${"a".repeat(4_094)}🪨b`];
  for (const text of texts) assert.equal(await channel.send("42", text), "sent");
  const [whole, ...cut] = standIn.received(42);
  assert.equal(whole, texts[0]);
  assert.deepEqual(cut, [`${"a".repeat(4_095)}…`, `${"a".repeat(4_095)}…`, `${"a".repeat(4_094)}…`]);
});

test("[CH7] temporary failures are retried, after as long as Telegram says", async (context) => {
  const { standIn, channel } = await onTalkingStage(context);
  standIn.script("sendMessage", tooMany(17));
  assert.deepEqual(await channel.send("42", "hello"), {
    retry: "429: Too Many Requests: retry after 17",
    afterMs: 17_000,
  });
  const passing: Mishap[] = [
    ...["lost", "drop", broken].map((mishap) => mishap as Mishap),
    { status: 503, description: "Service Unavailable" },
    { status: 429, description: "Too Many Requests" },
    { status: 401, description: "Unauthorized" },
    { status: 404, description: "Not Found" },
    { raw: "<html>Bad gateway</html>" },
    { raw: "null" },
    { raw: JSON.stringify({ ok: true, result: "a".repeat(17 * 1024 * 1024) }) },
  ];
  for (const mishap of passing) {
    standIn.script("sendMessage", mishap);
    assert.equal((await retryOf(channel)).afterMs, undefined, JSON.stringify(mishap).slice(0, 99));
  }
  assert.equal(standIn.received(42).length, 1, "one was sent, but its response was lost");
});

test("[CH7] permanent failures are reported with their reason", async (context) => {
  const { standIn, channel } = await onTalkingStage(context);
  standIn.blocked.add(42);
  const cases = [
    ["42", "hello", /403: Forbidden: bot was blocked by the user/],
    ["77", "hello", /400: Bad Request: chat not found/],
    ["-17", "", /400: Bad Request: message text is empty/],
    ["nowhere", "hello", /400: /],
  ] as const;
  for (const [place, text, reason] of cases) {
    const sending = await channel.send(place, text);
    assert.ok(typeof sending === "object" && "failure" in sending, JSON.stringify(sending));
    assert.match(sending.failure, reason);
  }
});

test("[CH7] a message to a group that has moved is sent to its new address, following only one move", async (context) => {
  const { standIn, channel } = await onTalkingStage(context);
  standIn.message(-1_000_017, 42, {});
  standIn.moved.set(-17, -1_000_017);
  assert.equal(await channel.send("-17", "hello"), "sent");
  assert.deepEqual([standIn.received(-17), standIn.received(-1_000_017)], [[], ["hello"]]);
  standIn.moved.set(-1_000_017, -17);
  const sending = await channel.send("-17", "round and round");
  assert.ok(typeof sending === "object" && "failure" in sending, JSON.stringify(sending));
  assert.equal(standIn.callsOf("sendMessage").length, 4);
});

test("[CH7] sending is aborted if no response arrives in time", async (context) => {
  const { standIn, channel, clock } = await onTalkingStage(context);
  standIn.script("sendMessage", "silence");
  const sending = watched(channel.send("42", "hello"));
  await callsMade(standIn, "sendMessage", 1);
  await clock.advance(9_999);
  assert.equal(sending.settled, false);
  await clock.advance(1);
  assert.deepEqual(await answered(sending.promise), { retry: "Telegram did not answer in time." });
});

test("[CH7] a shutdown waits for messages that are being sent, but not for a hanging Telegram", async (context) => {
  const { standIn, channel, clock } = await onTalkingStage(context);
  standIn.script("sendMessage", "silence");
  const sending = channel.send("42", "hello");
  await callsMade(standIn, "sendMessage", 1);
  const stopped = watched(channel.stop!());
  await turns(50);
  assert.equal(stopped.settled, false);
  await clock.advance(2_999);
  assert.equal(stopped.settled, false);
  await clock.advance(1);
  await answered(stopped.promise);
  assert.ok("retry" in ((await sending) as object), "it is sent again after the next start");
});

test("[AU4] the token is never revealed, whatever goes wrong", async (context) => {
  const { standIn } = await onTalkingStage(context);
  const token = "112233:a-token_that-nobody-may-see";
  const told: string[] = [];
  const onError = (error: unknown) =>
    void told.push(JSON.stringify([String(error), { ...(error as object) }]));
  const gone = await TelegramStandIn.start();
  await gone.stop();
  const answers: Mishap[] = [
    { raw: `<html>There is no /bot${token}/sendMessage</html>` },
    { status: 500, description: `cannot ask https://api.test/bot${token}/sendMessage` },
    { status: 400, description: `no /bot${token}` },
    "lost",
  ];
  for (const apiRoot of [gone.url, standIn.url]) {
    const clock = new TestClock();
    const channel = telegram({ token, apiRoot, clock, onError });
    for (const answer of apiRoot === gone.url ? ["none" as const] : answers) {
      standIn.script("sendMessage", answer);
      standIn.script("getMe", answer);
      told.push(JSON.stringify(await channel.send("42", "hello")));
    }
    const before = told.length;
    channel.start!(new FakeReceiver());
    await until(() => told.length > before, "it is reported");
    await answered(channel.stop!());
  }
  assert.equal(told.length, 7);
  for (const text of told) assert.ok(!text.includes("nobody-may-see"), text);
});
