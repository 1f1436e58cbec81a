import { asWord, type Column, type Millis } from "@openseat/kernel";
import { Fingerprints } from "./fingerprints.ts";

/** ID3: keys are kept at least this long. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

interface Generation {
  readonly startedAt: Millis;
  readonly keys: Fingerprints;
}

/**
 * Remembers which idempotency key led to which entry of a stream. Keys are in two generations, so dropping old keys means
 * dropping a table. A key lives for at least one lifetime and until newer keys arrive. With `isForEver`, nothing is dropped.
 */
export class KeyMemory {
  readonly #lifetimeMs: number;
  #current: Generation;
  #previous: Generation | undefined;

  constructor(startedAt: Millis, isForEver = false) {
    this.#lifetimeMs = isForEver ? Number.POSITIVE_INFINITY : keyLifetimeMs;
    this.#current = { startedAt, keys: new Fingerprints() };
  }

  /** The version that the key probably led to. Callers must check the entry, because fingerprints can collide. */
  find(by: string, key: string): number | undefined {
    const text = textOf(by, key);
    return this.#current.keys.get(text) || this.#previous?.keys.get(text) || undefined;
  }

  remember(by: string, key: string, version: number, at: Millis): void {
    if (at - this.#current.startedAt > this.#lifetimeMs) {
      this.#previous = this.#current;
      this.#current = { startedAt: at, keys: new Fingerprints() };
    }
    this.#current.keys.set(textOf(by, key), version);
  }

  save(): { head: Record<string, unknown>; columns: Record<string, Column> } {
    const [current, previous] = [this.#current, this.#previous];
    return {
      head: {
        keysStartedAt: current.startedAt,
        ...(previous && { oldKeysStartedAt: previous.startedAt }),
      },
      columns: { keys: current.keys.save(), ...(previous && { oldKeys: previous.keys.save() }) },
    };
  }

  static restore(
    head: Readonly<Record<string, unknown>>,
    columns: Readonly<Record<string, Column>>,
    isForEver = false,
  ): KeyMemory {
    const memory = new KeyMemory(head.keysStartedAt as Millis, isForEver);
    memory.#current = restored(head.keysStartedAt, columns.keys);
    if (head.oldKeysStartedAt !== undefined)
      memory.#previous = restored(head.oldKeysStartedAt, columns.oldKeys);
    return memory;
  }
}

/** The last text. Most keys are looked up and stored right after. */
const last = { by: "", key: "", text: "" };

function textOf(by: string, key: string): string {
  if (last.by !== by || last.key !== key) {
    last.by = by;
    last.key = key;
    last.text = `${asWord(by)} ${key}`;
  }
  return last.text;
}

/**
 * Without its keys, a repeated request would run twice. This error makes the host replay the stream's entries, which include
 * the keys.
 */
function restored(startedAt: unknown, keys: Column | undefined): Generation {
  if (keys === undefined) throw new Error("a snapshot without its keys");
  return { startedAt: startedAt as Millis, keys: Fingerprints.restore(keys as Uint32Array) };
}
