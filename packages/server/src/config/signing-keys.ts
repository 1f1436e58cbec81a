import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./load-config.ts";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

/** An Ed25519 key that signs admission tokens, or that did and is kept to check them. */
export interface SigningKey {
  /** The JWK thumbprint (RFC 7638): the same key has the same name wherever it is. */
  readonly kid: string;
  /** Milliseconds since 1970, like all times here. */
  readonly createdAt: number;
  /** Since then it signs nothing any more. */
  readonly retiredAt?: number;
  readonly jwk: {
    readonly kty: "OKP";
    readonly crv: "Ed25519";
    readonly x: string;
    /** The private part; a retired key has none. */
    readonly d?: string;
  };
}

/** The longest session is a day: a retired key is kept until every token it signed has expired, and an hour more. */
export const retiredKeyMs = 25 * 60 * 60 * 1000;

/** Only with so many rotations within `retiredKeyMs`; the list is public, and everyone who checks tokens reads it. */
const keysMax = 64;

export function signingKeysPath(folder: string): string {
  return join(folder, "signing-keys.json");
}

/** The keys of a data folder, newest first; undefined when it has none. */
export function readSigningKeys(folder: string): readonly SigningKey[] | undefined {
  return readSecretFile(signingKeysPath(folder), keysFrom);
}

/** AU4: made at first start, kept in the data folder, readable by the owner alone. */
export function makeSigningKeys(folder: string, now: number): readonly SigningKey[] {
  const keys = [newSigningKey(now)];
  writeSecretFile(signingKeysPath(folder), contentOf(keys));
  return keys;
}

/** A new key signs from now on; the others stay until the last token they signed has expired. Gives the new one's name. */
export function rotateKeys(folder: string, now: number): string {
  const keys = readSigningKeys(folder) ?? [];
  const fresh = newSigningKey(now);
  const rotated = rotate(keys, fresh, now, retiredKeyMs);
  if (rotated.length > keysMax)
    throw new ConfigError([
      `There are ${keys.length} keys whose tokens may still be valid, and no more fit. Please rotate again in a day.`,
    ]);
  writeSecretFile(signingKeysPath(folder), contentOf(rotated), ownerOf(folder, keys.length > 0));
  return fresh.kid;
}

/** What becomes of the keys when `fresh` takes over. A key that signs no more needs no private part. */
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

/** Without those whose every token has expired. */
export function unexpired(keys: readonly SigningKey[], now: number, keepMs: number): readonly SigningKey[] {
  return keys.filter(({ retiredAt }) => retiredAt === undefined || now - retiredAt < keepMs);
}

function retired(key: SigningKey, now: number): SigningKey {
  const { kty, crv, x } = key.jwk;
  return { ...key, retiredAt: key.retiredAt ?? now, jwk: { kty, crv, x } };
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

/** Root may rotate for a server that runs as someone else, which has to be able to read what comes of it. */
function ownerOf(folder: string, hasKeys: boolean): { uid: number; gid: number } {
  try {
    return statSync(hasKeys ? signingKeysPath(folder) : folder);
  } catch {
    // Made here, the folder would hold a key that no server uses, and the operator would think it done.
    throw new ConfigError([`There is no data folder at ${folder}. Please name it with --data.`]);
  }
}

/** Times as people read them: an operator may want to know how old a key is. */
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

function keysFrom(content: unknown): readonly SigningKey[] {
  const { keys } = (content ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > keysMax)
    throw new Error(`"keys" must be a list of at most ${keysMax} keys`);
  const read = keys.map((key, index) => keyFrom(key ?? {}, `key ${index + 1}`));
  if (!read.some(isSigning)) throw new Error("none of the keys may sign");
  return read.sort((a, b) => b.createdAt - a.createdAt);
}

export function isSigning({ retiredAt }: SigningKey): boolean {
  return retiredAt === undefined;
}

/** A key that does not fit its name, or a private part of another key, would make tokens that nobody can check. */
function keyFrom(given: Record<string, unknown>, which: string): SigningKey {
  const { kid, createdAt, retiredAt } = given;
  const { kty, crv, x, d } = (given.jwk ?? {}) as Record<string, unknown>;
  if (kty !== "OKP" || crv !== "Ed25519" || !isPart(x)) throw new Error(`${which} is not an Ed25519 key`);
  if (kid !== thumbprint(x)) throw new Error(`${which} does not have the name that its public part gives it`);
  const key = { kid, createdAt: timeFrom(createdAt, which), jwk: { kty, crv, x } } as const;
  if (retiredAt !== undefined) return { ...key, retiredAt: timeFrom(retiredAt, which) };
  if (!isPart(d) || publicPartOf(x, d) !== x) throw new Error(`${which} has no private part that fits it`);
  return { ...key, jwk: { ...key.jwk, d } };
}

/** 32 bytes in base64url. */
function isPart(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{43}$/.test(value);
}

function publicPartOf(x: string, d: string): unknown {
  const key = createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x, d }, format: "jwk" });
  return createPublicKey(key).export({ format: "jwk" }).x;
}

function timeFrom(value: unknown, which: string): number {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new Error(`${which} does not say when it was made or retired`);
  return time;
}
