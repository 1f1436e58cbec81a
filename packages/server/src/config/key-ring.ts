import type { Clock, Timer } from "../clock.ts";
import type { SecretStore } from "./secret-store.ts";
import {
  isSigning,
  loadSigningKeys,
  publicPartOf,
  readSigningKeys,
  retiredKeyMs,
  type SigningKey,
  unexpired,
} from "./signing-keys.ts";

/** Interval of checks for rotated keys. A running server must notice them within two seconds. */
const recheckMs = 1_000;
/** A new key signs only after this long: other nodes may not know it before, and would refuse its tokens. */
const settleMs = 2_500;

interface KeyRingOptions {
  readonly clock: Clock;
  /** Called once per reason when the keys cannot be read. The server keeps using the known ones. */
  readonly onFailure: (error: unknown) => void;
}

/** The signing keys of a running server. They may be rotated at any time. */
export class KeyRing {
  readonly #store: SecretStore;
  readonly #options: KeyRingOptions;
  #stored: readonly SigningKey[];
  #keys: readonly SigningKey[];
  /** The key that signs now; and the next one, with the time at which it was first seen. */
  #signer: SigningKey;
  #newer: { readonly kid: string; readonly since: number } | undefined;
  #failure: string | undefined;
  #next: Timer | undefined;
  #closed = false;

  private constructor(store: SecretStore, options: KeyRingOptions, stored: readonly SigningKey[]) {
    this.#store = store;
    this.#options = options;
    this.#stored = stored;
    this.#signer = newest(stored);
    this.#keys = this.#current();
    this.#recheckLater();
  }

  /** Creates the first key if there is none. */
  static async open(store: SecretStore, options: KeyRingOptions): Promise<KeyRing> {
    return new KeyRing(store, options, await loadSigningKeys(store, options.clock.wall()));
  }

  /** Newest first. One of them has its private part and signs. Returns the same array until something changes. */
  keys(): readonly SigningKey[] {
    return this.#keys;
  }

  close(): void {
    this.#closed = true;
    this.#next?.cancel();
  }

  #recheckLater(): void {
    this.#next = this.#options.clock.after(recheckMs, async () => {
      await this.#recheck();
      if (!this.#closed) this.#recheckLater();
    });
  }

  async #recheck(): Promise<void> {
    try {
      const stored = await readSigningKeys(this.#store);
      if (!stored) throw new Error("The stored signing keys are missing.");
      this.#stored = stored;
      this.#failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#failure && !this.#closed) this.#options.onFailure(error);
      this.#failure = message;
    }
    this.#chooseSigner();
    const keys = this.#current();
    if (!isSameList(keys, this.#keys)) this.#keys = keys;
  }

  #chooseSigner(): void {
    const next = newest(this.#stored);
    if (next.kid === this.#signer.kid) return;
    const now = this.#options.clock.elapsed();
    if (next.kid !== this.#newer?.kid) this.#newer = { kid: next.kid, since: now };
    // A signing key that is no longer stored has leaked.
    const isKept = this.#stored.some(({ kid }) => kid === this.#signer.kid);
    if (!isKept || now - this.#newer.since >= settleMs) this.#signer = next;
  }

  #current(): readonly SigningKey[] {
    const signer = this.#signer;
    return unexpired(this.#stored, this.#options.clock.wall(), retiredKeyMs).map((key) =>
      key.kid === signer.kid ? signer : publicPartOf(key),
    );
  }
}

function newest(keys: readonly SigningKey[]): SigningKey {
  // Stored keys were checked for it.
  return keys.find(isSigning) as SigningKey;
}

function isSameList(some: readonly SigningKey[], others: readonly SigningKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ kid, jwk }, at) => kid === others[at].kid && jwk.d === others[at].jwk.d)
  );
}
