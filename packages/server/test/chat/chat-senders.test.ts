import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel, ChannelReply, Incoming, MessageReceiver } from "../../src/app/chat/channel.ts";
import { MessageRateLimit } from "../../src/transport/limits/message-rate-limit.ts";
import { range } from "../support/http.ts";
import { Pigeons } from "./chat-stage.ts";

/** Accepts every message. */
class OpenReceiver implements MessageReceiver {
  readonly received: string[] = [];

  async receive(_: Channel, { sender, text }: Incoming): Promise<ChannelReply> {
    this.received.push(`${sender}: ${text}`);
    return { reply: `You said ${text}.` };
  }

  async moved(): Promise<ChannelReply> {
    return { reply: "moved" };
  }
}

function stage(replies: "sent" | "returned", messagesPerSenderMax = 3) {
  const clock = { ms: 1_700_000_000_000 };
  const receiver = new OpenReceiver();
  const channel = new Pigeons("pigeon", replies);
  const paced = new MessageRateLimit(receiver, { messagesPerSenderMax, now: () => clock.ms });
  let id = 0;
  const say = (sender: string, place = sender) =>
    paced.receive(channel, { id: `m${++id}`, sender, place, text: `word ${id}` });
  return { clock, receiver, channel, paced, say };
}

const tooFast = /too fast.*wait a minute/i;

test("[LM3] a sender cannot write without limit: excess messages are acknowledged and dropped", async () => {
  const { receiver, channel, say } = stage("sent");
  for (const _ of range(3)) assert.match(((await say("loud")) as { reply: string }).reply, /^You said/);
  for (const _ of range(1_000)) assert.deepEqual(await say("loud"), { reply: "" });
  assert.equal(receiver.received.length, 3);
  assert.equal(channel.sent.length, 1);
  assert.match(channel.sent[0], tooFast);
  assert.match(((await say("quiet")) as { reply: string }).reply, /^You said/);
});

test("[LM3] the sender is notified once per minute, and received again as the budget refills", async () => {
  const { clock, channel, say } = stage("sent");
  for (const _ of range(20)) await say("loud");
  clock.ms += 20_000;
  assert.match(((await say("loud")) as { reply: string }).reply, /^You said/);
  assert.deepEqual(await say("loud"), { reply: "" });
  assert.equal(channel.sent.length, 1);
  clock.ms += 60_000;
  for (const _ of range(20)) await say("loud");
  assert.equal(channel.sent.length, 2);
});

test("[LM3] if replies are returned, the notice is one of them, and further messages get an empty reply", async () => {
  const { channel, say } = stage("returned");
  for (const _ of range(3)) await say("loud");
  const [first, ...others] = (await Promise.all(range(5).map(() => say("loud")))) as { reply: string }[];
  assert.match(first.reply, tooFast);
  assert.deepEqual(others, Array(4).fill({ reply: "" }));
  assert.deepEqual(channel.sent, []);
});

test("[LM3] a group is notified once per minute; a notice that cannot be sent does no harm, and moves cost nothing", async () => {
  const { channel, paced, say } = stage("sent", 0);
  for (const sender of range(50)) await say(`s${sender}`, "group");
  assert.equal(channel.sent.length, 1);
  channel.send = () => Promise.reject(new Error("no wind"));
  assert.deepEqual(await say("loud"), { reply: "" });
  assert.deepEqual(await paced.moved(channel, "a", "b", "m"), { reply: "moved" });
});
