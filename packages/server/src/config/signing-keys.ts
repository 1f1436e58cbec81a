import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { ConfigError } from "./load-config.ts";
import type { SecretStore } from "./secret-store.ts";

/** An Ed25519 key that signs admission tokens, or a retired one that is kept to verify them. */
export interface SigningKey {
  /** The JWK thumbprint (RFC 7638), so the same key has the same name everywhere. */
  readonly kid: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the key stopped signing. */
  readonly retiredAt?: number;
  readonly jwk: {
    readonly kty: "OKP";
    readonly crv: "Ed25519";
    readonly x: string;
    /** The private part. Retired keys have none. */
    readonly d?: string;
  };
}

/**
 * The longest session is a day, or 26.7 hours while time runs a tenth slower. A retired key is kept until its tokens have
 * expired.
 */
export const retiredKeyMs = 27 * 60 * 60 * 1000;

/** Limits the public list, which everyone who verifies tokens reads. */
const keysMax = 64;

/** The stored keys, newest first; undefined before the first start. */
export function readSigningKeys(store: SecretStore): Promise<readonly SigningKey[] | undefined> {
  return store.read("signing-keys", keysFrom);
}

/** AU4: created at the first start of any node, and then the same for all. */
export async function loadSigningKeys(store: SecretStore, now: number): Promise<readonly SigningKey[]> {
  const kept = await readSigningKeys(store);
  if (kept) return kept;
  const made = [newSigningKey(now)];
  // If another node was first, use its keys.
  return (await store.make("signing-keys", contentOf(made))) ? made : loadSigningKeys(store, now);
}

/**
 * Creates a new signing key and returns its name. The other keys stay until the last token they signed has expired, or are
 * removed at once if they have leaked.
 */
export async function rotateKeys(
  store: SecretStore,
  now: number,
  { leaked = false }: { readonly leaked?: boolean } = {},
): Promise<string> {
  const kept = await store.read("signing-keys", (content) => ({ content, keys: keysFrom(content) }));
  const keys = kept?.keys ?? [];
  const fresh = newSigningKey(now);
  const rotated = rotate(leaked ? [] : keys, fresh, now, retiredKeyMs);
  if (rotated.length > keysMax)
    throw new ConfigError([
      `There are ${keys.length} keys whose tokens may still be valid, which is the maximum. Please rotate again in a day.`,
    ]);
  const content = contentOf(rotated);
  const taken = kept
    ? await store.replace("signing-keys", kept.content, content)
    : await store.make("signing-keys", content);
  // If two rotations run concurrently, both take effect one after another, and no new key is lost.
  return taken ? fresh.kid : rotateKeys(store, now, { leaked });
}

/** The keys after `fresh` takes over. Retired keys need no private part. */
export function rotate(
  keys: readonly SigningKey[],
  fresh: SigningKey,
  now: number,
  keepMs: number,
): readonly SigningKey[] {
  return [
    fresh,
    ...unexpired(
      keys.map((key) => retired(key, now)),
      now,
      keepMs,
    ),
  ];
}

/** Drops keys whose tokens have all expired. */
export function unexpired(keys: readonly SigningKey[], now: number, keepMs: number): readonly SigningKey[] {
  return keys.filter(({ retiredAt }) => retiredAt === undefined || now - retiredAt < keepMs);
}

function retired(key: SigningKey, now: number): SigningKey {
  return { ...publicPartOf(key), retiredAt: key.retiredAt ?? now };
}

/** The key without its private part. */
export function publicPartOf(key: SigningKey): SigningKey {
  const { kty, crv, x } = key.jwk;
  return { ...key, jwk: { kty, crv, x } };
}

export function newSigningKey(now: number): SigningKey {
  const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as {
    x: string;
    d: string;
  };
  return { kid: thumbprint(x), createdAt: now, jwk: { kty: "OKP", crv: "Ed25519", x, d } };
}

function thumbprint(x: string): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
}

/** Stores readable times, because an operator may want to know a key's age. */
function contentOf(keys: readonly SigningKey[]): unknown {
  return {
    keys: keys.map(({ kid, createdAt, retiredAt, jwk }) => ({
      kid,
      createdAt: new Date(createdAt).toISOString(),
      ...(retiredAt !== undefined && { retiredAt: new Date(retiredAt).toISOString() }),
      jwk,
    })),
  };
}

/** Checks and returns the stored keys, newest first. */
export function keysFrom(content: unknown): readonly SigningKey[] {
  const { keys } = (content ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > keysMax)
    throw new Error(`"keys" must be a list of at most ${keysMax} keys`);
  const read = keys.map((key, index) => keyFrom(key ?? {}, `key ${index + 1}`));
  if (!read.some(isSigning)) throw new Error("none of the keys may sign");
  return read.sort((a, b) => b.createdAt - a.createdAt);
}

export function isSigning({ jwk }: SigningKey): boolean {
  return jwk.d !== undefined;
}

/** A key that does not match its name, or a private part of another key, would sign tokens that nobody can verify. */
function keyFrom(given: Record<string, unknown>, which: string): SigningKey {
  const { kid, createdAt, retiredAt } = given;
  const { kty, crv, x, d } = (given.jwk ?? {}) as Record<string, unknown>;
  if (kty !== "OKP" || crv !== "Ed25519" || !isPart(x)) throw new Error(`${which} is not an Ed25519 key`);
  if (kid !== thumbprint(x)) throw new Error(`${which} does not have the name that its public part gives it`);
  const key = { kid, createdAt: timeFrom(createdAt, which), jwk: { kty, crv, x } } as const;
  if (retiredAt !== undefined) return { ...key, retiredAt: timeFrom(retiredAt, which) };
  if (!isPart(d) || fitting(d, x) !== x) throw new Error(`${which} has no private part that fits it`);
  return { ...key, jwk: { ...key.jwk, d } };
}

/** 32 bytes in base64url. */
function isPart(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{43}$/.test(value);
}

/** The public part that belongs to a private one. */
function fitting(d: string, x: string): unknown {
  const key = createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x, d }, format: "jwk" });
  return createPublicKey(key).export({ format: "jwk" }).x;
}

function timeFrom(value: unknown, which: string): number {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new Error(`${which} does not say when it was made or retired`);
  return time;
}
