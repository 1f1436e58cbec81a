import type { Log, StoredBatch, StreamName } from "../log/log.ts";

/**
 * What many ask of the log at the same moment is read once. When a room has grown on another node, all who watch it here
 * stand at the same entry: a reading for each of a crowd would keep the log from everybody else.
 */
export class SameReadings implements Pick<Log, "head" | "read"> {
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
    // Not until it is read: whoever asks later may have been told of an entry that this reading has missed.
    queueMicrotask(() => this.#underWay.delete(which));
    return reading;
  }
}
