import { randomInt } from "node:crypto";
import { type Column, grown, type Millis, TextTable } from "@openseat/kernel";

/** ID3: keys are kept at least this long. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** People choose their keys; with a seed that they do not know, none can choose keys that make the table slow. */
const seed = randomInt(2 ** 32);

/** Keys of one span of time, each with the version of the entry that it led to. */
class Generation {
  readonly startedAt: Millis;
  readonly #keys: TextTable;
  /** By the key's number. Only ever appended to. */
  #versions: Uint32Array;

  constructor(startedAt: Millis, keys = new TextTable(seed), versions = new Uint32Array(16)) {
    this.startedAt = startedAt;
    this.#keys = keys;
    this.#versions = versions;
  }

  find(text: string): number | undefined {
    const number = this.#keys.find(text);
    return number < 0 ? undefined : this.#versions[number];
  }

  remember(text: string, version: number): void {
    const number = this.#keys.add(text);
    this.#versions = grown(this.#versions, number + 1);
    this.#versions[number] = version;
  }

  save(): { bytes: Uint8Array; ends: Uint32Array; versions: Uint32Array } {
    return { ...this.#keys.save(), versions: this.#versions.subarray(0, this.#keys.size) };
  }
}

/**
 * Which key of whom led to which entry of a stream. The answer itself is not kept: the entry holds all that is
 * needed to give it again. Two generations of keys take turns, so that forgetting old ones is dropping a table,
 * and a key lives for one lifetime at least, and until newer keys come.
 */
export class KeyMemory {
  #current: Generation;
  #previous: Generation | undefined;

  constructor(startedAt: Millis) {
    this.#current = new Generation(startedAt);
  }

  find(by: string, key: string): number | undefined {
    const text = `${by} ${key}`;
    return this.#current.find(text) ?? this.#previous?.find(text);
  }

  remember(by: string, key: string, version: number, at: Millis): void {
    if (at - this.#current.startedAt > keyLifetimeMs) {
      this.#previous = this.#current;
      this.#current = new Generation(at);
    }
    this.#current.remember(`${by} ${key}`, version);
  }

  save(): { head: Record<string, unknown>; columns: Record<string, Column> } {
    const columns: Record<string, Column> = {};
    const head: Record<string, unknown> = { keysStartedAt: this.#current.startedAt };
    Object.assign(columns, prefixed("keys", this.#current.save()));
    if (this.#previous) {
      head.oldKeysStartedAt = this.#previous.startedAt;
      Object.assign(columns, prefixed("oldKeys", this.#previous.save()));
    }
    return { head, columns };
  }

  static restore(
    head: Readonly<Record<string, unknown>>,
    columns: Readonly<Record<string, Column>>,
  ): KeyMemory {
    const memory = new KeyMemory(head.keysStartedAt as Millis);
    memory.#current = restored("keys", head.keysStartedAt as Millis, columns);
    if (head.oldKeysStartedAt !== undefined) {
      memory.#previous = restored("oldKeys", head.oldKeysStartedAt as Millis, columns);
    }
    return memory;
  }
}

function prefixed(prefix: string, saved: ReturnType<Generation["save"]>): Record<string, Column> {
  return {
    [`${prefix}Bytes`]: saved.bytes,
    [`${prefix}Ends`]: saved.ends,
    [`${prefix}Versions`]: saved.versions,
  };
}

function restored(prefix: string, startedAt: Millis, columns: Readonly<Record<string, Column>>): Generation {
  const keys = TextTable.restore(
    {
      bytes: columns[`${prefix}Bytes`] as Uint8Array,
      ends: columns[`${prefix}Ends`] as Uint32Array,
    },
    seed,
  );
  return new Generation(startedAt, keys, new Uint32Array(columns[`${prefix}Versions`]));
}
