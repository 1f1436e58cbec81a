import type { Refusal } from "@openseat/kernel";
import type { Sending } from "../../host/outbox/courier.ts";

/** A message, as a channel has brought it. */
export interface Incoming {
  /** The channel's own id of it, under which it may come again. */
  readonly id: string;
  /** The channel's own address of whoever says it, such as the number of a phone. Nobody else is ever shown it. */
  readonly sender: string;
  /** The channel's own address of where it was said, and where what is said back goes. */
  readonly place: string;
  /** Where everybody reads along; undefined between two. */
  readonly group?: { readonly title: string };
  readonly text: string;
  /** CH8: by this text, the carrier stops or resumes what is sent to the place. */
  readonly consent?: "stop" | "start";
}

/** CH1: the same reply however often the message comes; or why it has to come again, for nothing was done. */
export type Heard =
  | {
      readonly reply: string;
      /** It had been heard, and answered, before. */
      readonly replayed?: boolean;
    }
  | { readonly refusal: Refusal };

/** What channels bring messages to. */
export interface Ear {
  /** Throws nothing: CH7, a message that cannot be handled is answered, and does not block those behind it. */
  hear(channel: Channel, message: Incoming): Promise<Heard>;
  /** A place has another address now, as a Telegram group that has become a supergroup. */
  moved(channel: Channel, from: string, to: string, messageId: string): Promise<Heard>;
}

/** CH6: a way to talk with people. */
export interface Channel {
  /** Part of ids and of the log: small letters; never changed afterwards. */
  readonly name: string;
  /** Whether a reply is given back to whoever brought the message, or sent by `send` (CH7: through the outbox). */
  readonly replies: "returned" | "sent";
  /** To an address that came as the `place` of a message. Bounded in time; faults are told by the answer, not thrown. */
  send(place: string, text: string): Promise<Sending>;
}
