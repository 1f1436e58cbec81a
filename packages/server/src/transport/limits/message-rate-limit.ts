import type { Channel, ChannelReply, Incoming, MessageReceiver } from "../../app/chat/channel.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import { costOfMessage } from "./charge-more.ts";

const slowDown =
  "You are writing too fast: your last messages were not read. Please wait a minute, then send them again.";

/** LM3: limits the writes of a sender. Messages beyond the limit leave no entry, and the channel does not deliver them again. */
export class MessageRateLimit implements MessageReceiver {
  readonly #receiver: MessageReceiver;
  readonly #messages: TokenBuckets;
  /** Per place: otherwise notices would fill a group in which many people write too much. */
  readonly #notices: TokenBuckets;

  /** `messagesPerSenderMax` is per minute. */
  constructor(
    receiver: MessageReceiver,
    { messagesPerSenderMax, now }: { readonly messagesPerSenderMax: number; readonly now: () => number },
  ) {
    this.#receiver = receiver;
    this.#messages = new TokenBuckets({ perMinute: messagesPerSenderMax }, now);
    this.#notices = new TokenBuckets({ perMinute: 1 }, now);
  }

  async receive(channel: Channel, message: Incoming): Promise<ChannelReply> {
    const { sender, place, text, consent } = message;
    // CH8: dropping it would leave the sender subscribed.
    if (consent === "stop") return this.#receiver.receive(channel, message);
    if (this.#messages.take(`${channel.name} ${sender}`, costOfMessage(text)) === 0)
      return this.#receiver.receive(channel, message);
    const isNotified = this.#notices.take(`${channel.name} ${place}`) > 0;
    if (isNotified) return { reply: "" };
    if (channel.replies === "returned") return { reply: slowDown };
    // Not through the outbox, which would write an entry. The notice may be lost.
    channel.send(place, slowDown).catch(() => {});
    return { reply: "" };
  }

  moved(channel: Channel, from: string, to: string, messageId: string): Promise<ChannelReply> {
    return this.#receiver.moved(channel, from, to, messageId);
  }
}
