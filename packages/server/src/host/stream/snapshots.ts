import type { Log, StreamName } from "../../log/log.ts";
import type { AnyMailbox } from "./mailbox.ts";
import { encodeSnapshot } from "./snapshot-format.ts";
import { type StreamState, saveStream } from "./stream-state.ts";

/** Replaying this many characters takes about as long as replaying `tailMin` entries. */
const tailCharactersMin = 16_000_000;

export class Snapshots {
  readonly #log: Log;
  readonly #tailMin: number;
  readonly #onError: (error: unknown) => void;
  #writing: Promise<void> | undefined;
  /** States that no other node has saved, as of the last check. */
  readonly #onlyHere = new WeakSet<StreamState<unknown>>();

  /** With fewer than `tailMin` entries since the last snapshot, a new one costs more than it saves. */
  constructor(log: Log, tailMin: number, onError: (error: unknown) => void) {
    this.#log = log;
    this.#tailMin = tailMin;
    this.#onError = onError;
  }

  /** Called when the mailbox has just settled, so its whole state is durable. One snapshot is written at a time. */
  consider(mailbox: AnyMailbox): void {
    const loaded = mailbox.durable;
    if (this.#writing || !loaded || !this.#isWorthIt(loaded)) return;
    this.#writing = this.#save(mailbox, loaded)
      .catch(this.#onError)
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #save(mailbox: AnyMailbox, loaded: StreamState<unknown>): Promise<void> {
    const { stream, decider } = mailbox;
    if (!this.#onlyHere.delete(loaded) && (await this.#isSavedElsewhere(stream, loaded))) return;
    // A snapshot must contain only durable entries. If a commit is in flight, wait for it.
    if (mailbox.durable !== loaded) {
      this.#onlyHere.add(loaded);
      return;
    }
    const { version, hash, characters } = loaded;
    const parts = encodeSnapshot(saveStream(loaded, decider.snapshots.save));
    await this.#log.saveSnapshot(stream, { version, hash, parts });
    loaded.snapshot = { version, characters };
  }

  /** Nodes with the same stream would save it at about the same time. One snapshot is enough. */
  async #isSavedElsewhere(stream: StreamName, loaded: StreamState<unknown>): Promise<boolean> {
    const version = await this.#log.snapshotVersion(stream);
    if (version <= loaded.snapshot.version) return false;
    loaded.snapshot = { version, characters: loaded.characters };
    return true;
  }

  /** The tail must grow with the stream, so that all its snapshots together cost about as much as its log. */
  #isWorthIt({ version, characters, snapshot }: StreamState<unknown>): boolean {
    const isLong = version - snapshot.version >= Math.max(this.#tailMin, snapshot.version / 2);
    // A few entries may be long: an import stores hundreds of matches in each.
    const tail = characters - snapshot.characters;
    return isLong || tail >= Math.max(tailCharactersMin, snapshot.characters / 2);
  }

  async finish(): Promise<void> {
    await this.#writing;
  }
}
