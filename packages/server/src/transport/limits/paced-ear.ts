import type { Channel, Ear, Heard, Incoming } from "../../app/chat/channel.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import { costOfMessage } from "./charge-more.ts";

export interface PaceTerms {
  /** Per minute. */
  readonly messagesPerSenderMax: number;
  readonly now: () => number;
}

const slowDown =
  "You are writing too fast: your last messages were not read. Please wait a minute, then send them again.";

/**
 * LM3: hears what one sender on a channel writes within their budget. What is too much counts as heard, so that the channel
 * does not bring it again, and leaves no entry.
 */
export class PacedEar implements Ear {
  readonly #ear: Ear;
  readonly #messages: TokenBuckets;
  /** Per place: a group in which many write too much is not filled with this. */
  readonly #notices: TokenBuckets;

  constructor(ear: Ear, { messagesPerSenderMax, now }: PaceTerms) {
    this.#ear = ear;
    this.#messages = new TokenBuckets({ perMinute: messagesPerSenderMax }, now);
    this.#notices = new TokenBuckets({ perMinute: 1 }, now);
  }

  async hear(channel: Channel, message: Incoming): Promise<Heard> {
    const { sender, place, text, consent } = message;
    // CH8: dropped, it would leave somebody subscribed who is not.
    if (consent === "stop") return this.#ear.hear(channel, message);
    if (this.#messages.take(`${channel.name} ${sender}`, costOfMessage(text)) === 0)
      return this.#ear.hear(channel, message);
    const isTold = this.#notices.take(`${channel.name} ${place}`) > 0;
    if (isTold) return { reply: "" };
    if (channel.replies === "returned") return { reply: slowDown };
    // Not through the outbox, which would write it down. Whether it arrives is of no importance.
    channel.send(place, slowDown).catch(() => {});
    return { reply: "" };
  }

  moved(channel: Channel, from: string, to: string, messageId: string): Promise<Heard> {
    return this.#ear.moved(channel, from, to, messageId);
  }
}
