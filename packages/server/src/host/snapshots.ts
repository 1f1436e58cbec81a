import type { Log } from "../log/log.ts";
import type { Mailbox } from "./mailbox.ts";
import { encodeSnapshot } from "./snapshot-format.ts";
import { type StreamState, saveStream } from "./stream-state.ts";

/** A tail as long as this takes about as long to replay as one of so many entries as are waited for. */
const tailCharactersMin = 16_000_000;

/** Keeps the time that a stream takes to come back into memory short. Losing a snapshot loses nothing. */
export class Snapshots {
  readonly #log: Log;
  readonly #tailMin: number;
  readonly #onError: (error: unknown) => void;
  #writing: Promise<void> | undefined;

  /** A tail shorter than `tailMin` entries is replayed quicker than a snapshot is worth. */
  constructor(log: Log, tailMin: number, onError: (error: unknown) => void) {
    this.#log = log;
    this.#tailMin = tailMin;
    this.#onError = onError;
  }

  /** Called when the mailbox has just settled: all that its state holds is durable. One is written at a time. */
  consider<State, Command, Event>(mailbox: Mailbox<State, Command, Event>): void {
    const loaded = mailbox.durable;
    if (this.#writing || !loaded || !this.#isWorthIt(loaded)) return;
    const { version, hash, characters } = loaded;
    const parts = encodeSnapshot(saveStream(loaded, mailbox.decider.save));
    this.#writing = this.#log
      .saveSnapshot(mailbox.stream, { version, hash, parts })
      .then(() => {
        loaded.snapshot = { version, characters };
      })
      .catch(this.#onError)
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** Growing with the stream, so that all the snapshots of its life cost about as much as its log. */
  #isWorthIt({ version, characters, snapshot }: StreamState<unknown>): boolean {
    const isLong = version - snapshot.version >= Math.max(this.#tailMin, snapshot.version / 2);
    // Few entries may be much to read: an import has hundreds of matches in each.
    const tail = characters - snapshot.characters;
    return isLong || tail >= Math.max(tailCharactersMin, snapshot.characters / 2);
  }

  async finish(): Promise<void> {
    await this.#writing;
  }
}
