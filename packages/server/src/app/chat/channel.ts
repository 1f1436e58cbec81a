import type { Sending } from "../../host/outbox/channel-sender.ts";
import type { Refused } from "../result.ts";

export interface Incoming {
  /** The channel's id of the message, under which it may come again. */
  readonly id: string;
  /** The sender's address on the channel, such as a phone number. It is never shown to others. */
  readonly sender: string;
  /** The channel's address for replies. */
  readonly place: string;
  readonly group?: { readonly title: string };
  readonly text: string;
  /** CH8: by this text, the carrier stops or resumes messages to the place. */
  readonly consent?: "stop" | "start";
}

/** CH1: the same reply for every repetition; or why the message has to come again, because nothing was done. */
export type Heard = { readonly reply: string; readonly replayed?: boolean } | Refused;

export interface Ear {
  /** CH7: throws nothing. A message that cannot be handled is answered, and does not block those behind it. */
  hear(channel: Channel, message: Incoming): Promise<Heard>;
  /** A place has a new address, such as a Telegram group that has become a supergroup. */
  moved(channel: Channel, from: string, to: string, messageId: string): Promise<Heard>;
}

/** CH6: a way to talk with people. */
export interface Channel {
  /** Lower case. Part of ids and of the log, so it must never change. */
  readonly name: string;
  /** Whether replies are returned to the caller or, through the outbox, sent by `send` (CH7). */
  readonly replies: "returned" | "sent";
  /** To the `place` of a message. Bounded in time; does not throw. */
  send(place: string, text: string): Promise<Sending>;
}
