import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/**
 * JSON Web Tokens under a shared secret. Written here, and synchronous, because every join checks one: a library
 * that goes through WebCrypto's thread pool costs more than all the rest of a join together (ADR 0006).
 */
export type Claims = Readonly<Record<string, unknown>>;

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");

export function hs256Key(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, "utf8"));
}

export function signHs256(claims: Claims, key: KeyObject): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signed}.${mac(signed, key).toString("base64url")}`;
}

/** What a token says of itself, before anything is proved: enough to know whose signature to look for. */
export function claimsOf(token: string): Claims | undefined {
  return parse(token.slice(token.indexOf(".") + 1, token.lastIndexOf(".")));
}

export function isSignedBy(token: string, key: KeyObject): boolean {
  const last = token.lastIndexOf(".");
  const given = Buffer.from(token.slice(last + 1), "base64url");
  const expected = mac(token.slice(0, last), key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  const itsHeader = token.slice(0, token.indexOf("."));
  return itsHeader === header || parse(itsHeader)?.alg === "HS256";
}

function mac(text: string, key: KeyObject): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function parse(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
