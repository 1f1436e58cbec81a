import { asWord, type Column, type Millis } from "@openseat/kernel";
import { Fingerprints } from "./fingerprints.ts";

/** ID3: keys are kept at least this long. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** Keys of one span of time, each with the version of the entry that it led to. */
class Generation {
  readonly startedAt: Millis;
  readonly keys: Fingerprints;

  constructor(startedAt: Millis, keys = new Fingerprints()) {
    this.startedAt = startedAt;
    this.keys = keys;
  }
}

/**
 * Which key of whom led to which entry of a stream. The answer itself is not kept: the entry holds all that is
 * needed to give it again. Two generations of keys take turns, so that forgetting old ones is dropping a table,
 * and a key lives for one lifetime at least, and until newer keys come. Where keys are for ever, nothing is dropped.
 */
export class KeyMemory {
  readonly #lifetimeMs: number;
  #current: Generation;
  #previous: Generation | undefined;

  constructor(startedAt: Millis, isForEver = false) {
    this.#lifetimeMs = isForEver ? Number.POSITIVE_INFINITY : keyLifetimeMs;
    this.#current = new Generation(startedAt);
  }

  /** The version that the key probably led to: the entry itself says whether it is this key's. */
  find(by: string, key: string): number | undefined {
    const text = textOf(by, key);
    return this.#current.keys.get(text) || this.#previous?.keys.get(text) || undefined;
  }

  remember(by: string, key: string, version: number, at: Millis): void {
    if (at - this.#current.startedAt > this.#lifetimeMs) {
      this.#previous = this.#current;
      this.#current = new Generation(at);
    }
    this.#current.keys.set(textOf(by, key), version);
  }

  save(): { head: Record<string, unknown>; columns: Record<string, Column> } {
    const columns: Record<string, Column> = {};
    const head: Record<string, unknown> = { keysStartedAt: this.#current.startedAt };
    columns.keys = this.#current.keys.save();
    if (this.#previous) {
      head.oldKeysStartedAt = this.#previous.startedAt;
      columns.oldKeys = this.#previous.keys.save();
    }
    return { head, columns };
  }

  static restore(
    head: Readonly<Record<string, unknown>>,
    columns: Readonly<Record<string, Column>>,
    isForEver = false,
  ): KeyMemory {
    const memory = new KeyMemory(head.keysStartedAt as Millis, isForEver);
    memory.#current = restored(head.keysStartedAt as Millis, columns.keys);
    if (head.oldKeysStartedAt !== undefined) {
      memory.#previous = restored(head.oldKeysStartedAt as Millis, columns.oldKeys);
    }
    return memory;
  }
}

/** What was asked for last: most keys are looked for and, a moment later, remembered. */
const last = { by: "", key: "", text: "" };

function textOf(by: string, key: string): string {
  if (last.by !== by || last.key !== key) {
    last.by = by;
    last.key = key;
    last.text = `${asWord(by)} ${key}`;
  }
  return last.text;
}

/** Without them, a repeated key would do again what it did: then the log has to be read, which has them all. */
function restored(startedAt: Millis, keys: Column | undefined): Generation {
  if (keys === undefined) throw new Error("a snapshot without its keys");
  return new Generation(startedAt, Fingerprints.restore(keys as Uint32Array));
}
