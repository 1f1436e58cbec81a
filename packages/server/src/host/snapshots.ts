import type { Log } from "../log/log.ts";
import type { Mailbox } from "./mailbox.ts";
import { encodeSnapshot } from "./snapshot-format.ts";
import { saveStream } from "./stream-state.ts";

/** A shorter tail is replayed quicker than a snapshot is worth. */
const tailEntriesMin = 10_000;

/** Growing with the stream, so that all the snapshots of its life cost about as much as its log. */
function isWorthIt(version: number, snapshotVersion: number): boolean {
  return version - snapshotVersion >= Math.max(tailEntriesMin, snapshotVersion / 2);
}

/** Keeps the time that a stream takes to come back into memory short. Losing a snapshot loses nothing. */
export class Snapshots {
  readonly #log: Log;
  readonly #onError: (error: unknown) => void;
  #writing: Promise<void> | undefined;

  constructor(log: Log, onError: (error: unknown) => void) {
    this.#log = log;
    this.#onError = onError;
  }

  /** Called when the mailbox has just settled: all that its state holds is durable. One is written at a time. */
  consider<State, Command, Event>(mailbox: Mailbox<State, Command, Event>): void {
    const loaded = mailbox.durable;
    if (this.#writing || !loaded || !isWorthIt(loaded.version, loaded.snapshotVersion)) return;
    const { version, hash } = loaded;
    const parts = encodeSnapshot(saveStream(loaded, mailbox.decider.save));
    this.#writing = this.#log
      .saveSnapshot(mailbox.stream, { version, hash, parts })
      .then(() => {
        loaded.snapshotVersion = version;
      })
      .catch(this.#onError)
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async finish(): Promise<void> {
    await this.#writing;
  }
}
