import type { Log, StreamName } from "../../log/log.ts";
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
  /** Of these it was asked whether another node has saved them, and none has. */
  readonly #isSure = new WeakSet<StreamState<unknown>>();

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
    this.#writing = this.#save(mailbox, loaded)
      .catch(this.#onError)
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #save<State, Command, Event>(
    mailbox: Mailbox<State, Command, Event>,
    loaded: StreamState<State>,
  ): Promise<void> {
    const { stream, decider } = mailbox;
    if (!this.#isSure.delete(loaded) && (await this.#isSavedElsewhere(stream, loaded))) return;
    // Meanwhile something may be on its way to the log. A snapshot holds only what is durable, so it is taken after the next commit.
    if (mailbox.durable !== loaded) {
      this.#isSure.add(loaded);
      return;
    }
    const { version, hash, characters } = loaded;
    const parts = encodeSnapshot(saveStream(loaded, decider.snapshots.save));
    await this.#log.saveSnapshot(stream, { version, hash, parts });
    loaded.snapshot = { version, characters };
  }

  /** Nodes that have the same stream come to save it at about the same time: when one of them has, the others need not. */
  async #isSavedElsewhere(stream: StreamName, loaded: StreamState<unknown>): Promise<boolean> {
    const version = await this.#log.snapshotVersion(stream);
    if (version <= loaded.snapshot.version) return false;
    loaded.snapshot = { version, characters: loaded.characters };
    return true;
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
