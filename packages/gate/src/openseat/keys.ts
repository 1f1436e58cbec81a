import { type CryptoKey, importJWK } from "jose";
import type { GateContext } from "../visit/request.ts";
import type { Calls } from "./calls.ts";
import { OpenseatAway } from "./failures.ts";
import { type Background, type Runtime, Shared } from "./runtime.ts";

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

export interface KeysDeps {
  readonly calls: Calls;
  readonly runtime: Runtime;
  readonly background: Background;
  /** Called when the keys differ from the previous ones. */
  onChange(): void;
}

/** Openseat's public keys. Those that were fetched last stay in use for as long as it is away. */
export class Keys {
  readonly #deps: KeysDeps;
  readonly #fetching: Shared<KeysById>;
  #keys: KeysById | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** When a fetch ended last. */
  #triedAt = Number.NEGATIVE_INFINITY;
  /** When a fetch in the background began last. */
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: KeysDeps) {
    this.#deps = deps;
    this.#fetching = new Shared(() => this.#fetch(), deps.runtime);
  }

  /** Undefined if Openseat has no such key. */
  async find(id: string, context: GateContext): Promise<CryptoKey | undefined> {
    const key = this.#keys?.get(id);
    if (key) {
      await this.#refreshSometimes(context);
      return key;
    }
    // Forged tokens must not make a call each.
    if (!this.#fetching.isRunning && this.#deps.runtime.now() - this.#triedAt < cooldownMs)
      throw this.#keys ? new KeysCooling() : new OpenseatAway("The keys of Openseat are not known.");
    const keys = await this.#fetching.run();
    return keys.get(id);
  }

  async #refreshSometimes(context: GateContext): Promise<void> {
    const { background, runtime } = this.#deps;
    const now = runtime.now();
    if (now - this.#fetchedAt < freshMs) return;
    if (now - Math.max(this.#triedAt, this.#refreshedAt) < cooldownMs) return;
    this.#refreshedAt = now;
    await background.run(context, this.#fetching.run());
  }

  async #fetch(): Promise<KeysById> {
    const { calls, runtime, onChange } = this.#deps;
    try {
      const keys = await keysFrom(await calls.keys());
      const isSame = keys.size === this.#keys?.size && [...keys.keys()].every((id) => this.#keys?.has(id));
      this.#fetchedAt = runtime.now();
      if (!isSame) {
        this.#keys = keys;
        onChange();
      }
      return keys;
    } finally {
      // Not earlier: where calls are per request, the others would find no keys while the first fetch runs.
      this.#triedAt = runtime.now();
    }
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
