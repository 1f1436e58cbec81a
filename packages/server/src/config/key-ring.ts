import { statSync } from "node:fs";
import {
  makeSigningKeys,
  readSigningKeys,
  retiredKeyMs,
  type SigningKey,
  signingKeysPath,
  unexpired,
} from "./signing-keys.ts";

/** How long a rotation may go unnoticed by the server that runs. */
const recheckMs = 2_000;

interface KeyRingOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Keys that were changed and cannot be read: the server goes on with those that it has. */
  readonly onTrouble: (error: unknown) => void;
}

/** The signing keys of a running server, as they are now: an operator may rotate them meanwhile. */
export class KeyRing {
  readonly #folder: string;
  readonly #options: KeyRingOptions;
  #stored: readonly SigningKey[];
  #keys: readonly SigningKey[];
  /** Tells one state of the file from another. */
  #mark: string;
  #checkedAt: number;

  constructor(folder: string, options: KeyRingOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#checkedAt = options.now();
    // Before the file is read: what is written in between must be noticed later.
    this.#mark = markOf(folder);
    this.#stored = readSigningKeys(folder) ?? makeSigningKeys(folder, this.#checkedAt);
    this.#keys = unexpired(this.#stored, this.#checkedAt, retiredKeyMs);
  }

  /** Newest first; the same list as before when nothing has changed. */
  keys(): readonly SigningKey[] {
    const now = this.#options.now();
    // Either way: a clock that was set back must not stop the checking.
    if (Math.abs(now - this.#checkedAt) >= recheckMs) {
      this.#checkedAt = now;
      this.#readAgain();
      const keys = unexpired(this.#stored, now, retiredKeyMs);
      if (!isSameList(keys, this.#keys)) this.#keys = keys;
    }
    return this.#keys;
  }

  #readAgain(): void {
    const mark = markOf(this.#folder);
    if (mark === this.#mark) return;
    this.#mark = mark;
    try {
      const stored = readSigningKeys(this.#folder);
      if (stored) this.#stored = stored;
      else throw new Error(`${signingKeysPath(this.#folder)} is gone.`);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}

function markOf(folder: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(signingKeysPath(folder), { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function isSameList(some: readonly SigningKey[], others: readonly SigningKey[]): boolean {
  return some.length === others.length && some.every((key, index) => key === others[index]);
}
