import { assert, type ConversationNumber } from "@openseat/kernel";
import type { ChannelSender } from "../../host/outbox/channel-sender.ts";
import type { TheDirectory } from "../directory.ts";
import type { Channel } from "./channel.ts";

/** CH7: delivers messages through the channels. Only this file maps conversations to addresses. */
export function channelSendersOf(
  channels: readonly Channel[],
  directory: () => TheDirectory,
): Readonly<Record<string, ChannelSender>> {
  for (const { name } of channels)
    assert(!streamKinds.includes(name), `a channel is called ${name}, which is a kind of stream`);
  return Object.fromEntries(channels.map((channel) => [channel.name, channelSenderOf(channel, directory)]));
}

/** Deliveries to these never leave the server. */
const streamKinds: readonly string[] = ["ladder", "conversation", "directory", "web"];

function channelSenderOf(channel: Channel, directory: () => TheDirectory): ChannelSender {
  return {
    async send(id, { text }) {
      const number = Number(id) as ConversationNumber;
      const found = await directory().read((known) => known?.conversations.get(number));
      if ("refusal" in found) return { retry: found.refusal.message };
      if (found.value === undefined) return { failure: "The conversation no longer exists." };
      // CH8: the message was already being sent when the recipient wrote STOP.
      if (found.value.stopped) return { failure: "The recipient has unsubscribed." };
      return channel.send(found.value.place, String(text));
    },
  };
}
