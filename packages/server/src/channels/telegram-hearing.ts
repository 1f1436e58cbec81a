import type { Refusal } from "@openseat/kernel";
import type { Channel, Ear, Heard } from "../app/chat/channel.ts";
import type { Reading } from "./telegram-updates.ts";

/** Brings what was read to the ear. */
export class Hearing {
  readonly #channel: Channel;
  readonly #ear: Ear;
  readonly #onError: (error: unknown) => void;

  constructor(channel: Channel, ear: Ear, onError: (error: unknown) => void) {
    this.#channel = channel;
    this.#ear = ear;
    this.#onError = onError;
  }

  /** Why it has to come again; undefined when it need not. CH7: what never can be heard is told, and that is all. */
  async hear(reading: Reading): Promise<Refusal | undefined> {
    try {
      const heard = await this.#heard(reading);
      if (heard === undefined || "reply" in heard) return undefined;
      if (heard.refusal.retryable) return heard.refusal;
      this.#tell(reading, heard.refusal.message);
    } catch (error) {
      this.#onError(error);
    }
    return undefined;
  }

  giveUp(reading: Reading, { message }: Refusal): void {
    this.#tell(reading, message);
  }

  async #heard(reading: Reading): Promise<Heard | undefined> {
    if (reading.kind === "message") return this.#ear.hear(this.#channel, reading.message);
    if (reading.kind === "moved")
      return this.#ear.moved(this.#channel, reading.from, reading.to, reading.messageId);
    if (reading.kind === "malformed") this.#tell(reading, reading.problem);
    return undefined;
  }

  /** Not what stands in it: that is between the two who talk. */
  #tell({ id }: Reading, problem: string): void {
    const which = id === undefined ? "An update" : `Update ${id}`;
    this.#onError(new Error(`${which} from Telegram cannot be heard: ${problem}`));
  }
}
