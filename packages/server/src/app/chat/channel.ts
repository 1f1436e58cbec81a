import type { Sending } from "../../host/outbox/channel-sender.ts";
import type { Refused } from "../result.ts";

export interface Incoming {
  /** The channel's id of the message. A repeated message has the same id. */
  readonly id: string;
  /** The sender's address on the channel, such as a phone number. It is never shown to others. */
  readonly sender: string;
  /** The channel's address for replies. */
  readonly place: string;
  readonly group?: { readonly title: string };
  readonly text: string;
  /** CH8: this text makes the carrier stop or resume messages to the place. */
  readonly consent?: "stop" | "start";
}

/** CH1: the same reply for every repetition, or a refusal if nothing was done and the message has to be sent again. */
export type ChannelReply = { readonly reply: string; readonly replayed?: boolean } | Refused;

export interface MessageReceiver {
  /** CH7: never throws. A message that cannot be handled gets a reply, so that it does not block later ones. */
  receive(channel: Channel, message: Incoming): Promise<ChannelReply>;
  /** A place has a new address, such as a Telegram group that has become a supergroup. */
  moved(channel: Channel, from: string, to: string, messageId: string): Promise<ChannelReply>;
}

/** CH6: a way to exchange messages with people, such as Telegram. */
export interface Channel {
  /** Lower case. Part of ids and of the log, so it must never change. */
  readonly name: string;
  /** Whether replies are returned to the caller or, through the outbox, sent by `send` (CH7). */
  readonly replies: "returned" | "sent";
  /** Sends to the `place` of a message. Bounded in time; never throws. */
  send(place: string, text: string): Promise<Sending>;
}
