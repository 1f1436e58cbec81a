import { compactVerify, createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWK } from "jose";

export interface RemoteIssuerOptions {
  readonly jwksUrl: string;
  /** Monotonic: after a clock is set back, keys would not be fetched until it has caught up. */
  readonly elapsed: () => number;
  readonly onError: (error: unknown) => void;
}

export type IssuerKey = string;

/** The other fields may change while the key stays the same. Such a change must not end open connections. */
function materialOf({ kty, crv, n, e, x, y }: JWK): IssuerKey {
  return JSON.stringify([kty, crv, n, e, x, y]);
}

/** Verified tokens in the cache. Past this, the oldest is evicted. */
const rememberedMax = 50_000;
/** Older keys are fetched again in the background when a token arrives. */
const refreshMs = 20_000;
/** The keys may be older than this after a quiet time. Then the next token waits for fresh keys (AU5). */
const staleMs = 60_000;
/** A token that no known key has signed may be signed with a new key. The keys are then fetched again, at most this often. */
const cooldownMs = 5_000;
const fetchTimeoutMs = 5_000;

const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** An issuer that publishes its public keys at a URL. During its outages, the last known keys stay valid indefinitely. */
export class RemoteIssuer {
  readonly #options: RemoteIssuerOptions;
  readonly #source: ReturnType<typeof createRemoteJWKSet>;
  #keys: ReadonlyMap<IssuerKey, ReturnType<typeof createLocalJWKSet>> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  isUp = true;
  /** The key that signed each token. Whether both are still valid is checked each time. */
  readonly #remembered = new Map<string, IssuerKey>();

  constructor(options: RemoteIssuerOptions) {
    this.#options = options;
    this.#source = createRemoteJWKSet(new URL(options.jwksUrl), { timeoutDuration: fetchTimeoutMs });
  }

  /** The key that signed the token; undefined if none of the issuer's keys did. */
  async signerOf(token: string): Promise<IssuerKey | "unreachable" | undefined> {
    await this.#refresh();
    const known = this.#remembered.get(token);
    if (known !== undefined && this.#keys?.has(known)) return known;
    let signer = await this.#verify(token);
    if (signer === undefined && this.#ageMs() >= cooldownMs) {
      await this.#fetch();
      signer = await this.#verify(token);
    }
    if (signer !== undefined) this.#remember(token, signer);
    return signer ?? (this.isUp ? undefined : "unreachable");
  }

  async trusts(key: IssuerKey): Promise<boolean> {
    await this.#refresh();
    return this.#keys?.has(key) === true;
  }

  /** Waits for the keys only if there are none, or only stale ones. */
  async #refresh(): Promise<void> {
    const ageMs = this.#ageMs();
    if (this.#keys && ageMs < refreshMs) return;
    const fetching = this.#fetch();
    if (!this.#keys || ageMs >= staleMs) await fetching;
  }

  #ageMs(): number {
    return this.#options.elapsed() - this.#triedAt;
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#source
      .reload()
      .then(
        () => this.#fetched(this.#source.jwks()!),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#fetching = undefined;
        this.#triedAt = this.#options.elapsed();
      });
    return this.#fetching;
  }

  #fetched({ keys }: JSONWebKeySet): void {
    // A key set per key, so that a new key published under an old key's id is not mistaken for it.
    this.#keys = new Map(keys.map((key) => [materialOf(key), createLocalJWKSet({ keys: [key] })]));
    this.isUp = true;
  }

  #failed(error: unknown): void {
    if (this.isUp) this.#options.onError(error);
    this.isUp = false;
  }

  async #verify(token: string): Promise<IssuerKey | undefined> {
    for (const [key, keySet] of this.#keys ?? []) {
      try {
        const { protectedHeader } = await compactVerify(token, keySet, { algorithms });
        // jose supports one extension, which changes how the payload is read. Here none is supported (RFC 7515, 4.1.11).
        return "crit" in protectedHeader ? undefined : key;
      } catch {
        // Not signed with this key, or the key cannot be used.
      }
    }
    return undefined;
  }

  #remember(token: string, signer: IssuerKey): void {
    if (this.#remembered.size >= rememberedMax) {
      const [oldest] = this.#remembered.keys();
      this.#remembered.delete(oldest);
    }
    this.#remembered.set(token, signer);
  }
}
