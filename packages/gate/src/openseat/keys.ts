import { type CryptoKey, importJWK } from "jose";
import type { GateContext } from "../visit/request.ts";
import type { Calls } from "./calls.ts";
import { OpenseatAway } from "./failures.ts";
import { inBackground, Shared } from "./runtime.ts";

/** Openseat allows its keys to be cached for this long. */
const freshMs = 300_000;
/** Tokens with an unknown key fetch the keys again, but not more often than this. */
const cooldownMs = 2_000;
/** Openseat publishes at most 64. */
const keysMax = 100;

type KeysById = ReadonlyMap<string, CryptoKey>;

/** A token is under a key that is not known, and it is too early to ask again. */
export class KeysCooling extends Error {
  override readonly name = "KeysCooling";
}

/** Openseat's public keys. Those that were fetched last stay in use for as long as it is away. */
export class Keys {
  readonly #calls: Calls;
  readonly #onChange: () => void;
  readonly #fetching = new Shared(() => this.#fetch());
  #keys: KeysById | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(calls: Calls, onChange: () => void) {
    this.#calls = calls;
    this.#onChange = onChange;
  }

  /** Undefined if Openseat has no such key. */
  async find(id: string, context: GateContext): Promise<CryptoKey | undefined> {
    const key = this.#keys?.get(id);
    if (key) {
      await this.#refreshSometimes(context);
      return key;
    }
    // Forged tokens must not make a call each.
    if (!this.#fetching.isRunning && performance.now() - this.#triedAt < cooldownMs)
      throw this.#keys ? new KeysCooling() : new OpenseatAway("The keys of Openseat are not known.");
    const keys = await this.#fetching.run();
    return keys.get(id);
  }

  async #refreshSometimes(context: GateContext): Promise<void> {
    const now = performance.now();
    if (now - this.#fetchedAt < freshMs || now - this.#triedAt < cooldownMs) return;
    await inBackground(context, this.#fetching.run());
  }

  async #fetch(): Promise<KeysById> {
    this.#triedAt = performance.now();
    const keys = await keysFrom(await this.#calls.keys());
    const isSame = keys.size === this.#keys?.size && [...keys.keys()].every((id) => this.#keys?.has(id));
    this.#fetchedAt = performance.now();
    if (!isSame) {
      this.#keys = keys;
      this.#onChange();
    }
    return keys;
  }
}

async function keysFrom(answer: unknown): Promise<KeysById> {
  const { keys } = (answer ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > keysMax) throw unusable();
  const found = new Map<string, CryptoKey>();
  for (const jwk of keys) {
    const { kty, crv, kid, x } = jwk ?? {};
    if (kty !== "OKP" || crv !== "Ed25519" || typeof kid !== "string" || typeof x !== "string") continue;
    try {
      const key = await importJWK({ kty, crv, x, alg: "EdDSA" });
      if (!(key instanceof Uint8Array)) found.set(kid, key);
    } catch {
      // One damaged key must not make the others unusable.
    }
  }
  if (found.size === 0) throw unusable();
  return found;
}

function unusable(): OpenseatAway {
  return new OpenseatAway("Openseat answered without keys that the gate can use.");
}
