import type { Log, StoredBatch, StreamName } from "../log/log.ts";

/**
 * Shares equal reads that begin at the same moment. When another node changes a room, all its watchers here want the same
 * entries: separate reads would overload the log.
 */
export class SharedReads implements Pick<Log, "head" | "read"> {
  readonly #log: Pick<Log, "head" | "read">;
  readonly #underWay = new Map<string, Promise<StoredBatch[]>>();

  constructor(log: Pick<Log, "head" | "read">) {
    this.#log = log;
  }

  head(stream: StreamName): ReturnType<Log["head"]> {
    return this.#log.head(stream);
  }

  read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    const which = `${stream} ${after} ${limit}`;
    const same = this.#underWay.get(which);
    if (same) return same;
    const reading = this.#log.read(stream, after, limit);
    this.#underWay.set(which, reading);
    // Not until the read is done: a later caller may know of an entry that this read misses.
    queueMicrotask(() => this.#underWay.delete(which));
    return reading;
  }
}
