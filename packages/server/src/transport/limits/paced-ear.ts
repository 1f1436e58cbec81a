import type { Channel, Ear, Heard, Incoming } from "../../app/chat/channel.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import { costOfMessage } from "./charge-more.ts";

const slowDown =
  "You are writing too fast: your last messages were not read. Please wait a minute, then send them again.";

/** LM3: limits what one sender writes. Messages beyond it leave no entry, and the channel does not deliver them again. */
export class PacedEar implements Ear {
  readonly #ear: Ear;
  readonly #messages: TokenBuckets;
  /** Per place: otherwise a group in which many write too much would be filled with notices. */
  readonly #notices: TokenBuckets;

  /** `messagesPerSenderMax` is per minute. */
  constructor(
    ear: Ear,
    { messagesPerSenderMax, now }: { readonly messagesPerSenderMax: number; readonly now: () => number },
  ) {
    this.#ear = ear;
    this.#messages = new TokenBuckets({ perMinute: messagesPerSenderMax }, now);
    this.#notices = new TokenBuckets({ perMinute: 1 }, now);
  }

  async hear(channel: Channel, message: Incoming): Promise<Heard> {
    const { sender, place, text, consent } = message;
    // CH8: dropped, it would leave the sender subscribed.
    if (consent === "stop") return this.#ear.hear(channel, message);
    if (this.#messages.take(`${channel.name} ${sender}`, costOfMessage(text)) === 0)
      return this.#ear.hear(channel, message);
    const isTold = this.#notices.take(`${channel.name} ${place}`) > 0;
    if (isTold) return { reply: "" };
    if (channel.replies === "returned") return { reply: slowDown };
    // Not through the outbox, which would write an entry. It need not arrive.
    channel.send(place, slowDown).catch(() => {});
    return { reply: "" };
  }

  moved(channel: Channel, from: string, to: string, messageId: string): Promise<Heard> {
    return this.#ear.moved(channel, from, to, messageId);
  }
}
