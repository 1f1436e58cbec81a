import { HmacSha256 } from "./hmac.ts";

/**
 * JSON Web Tokens with a shared secret. Own, synchronous code, because every join checks a token: a library on WebCrypto's
 * thread pool costs as much as a bare HTTP request (ADR 0006).
 */
export type Claims = Readonly<Record<string, unknown>>;

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");

/** Longer tokens are refused before anything is computed. */
export const tokenLengthMax = 8192;

export function hs256Key(secret: string): HmacSha256 {
  return new HmacSha256(secret, tokenLengthMax);
}

export function signHs256(claims: Claims, key: HmacSha256): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signed}.${key.of(signed)}`;
}

/** The unverified claims, to find out which key should have signed the token. */
export function claimsOf(token: string): Claims | undefined {
  return parse(token.slice(token.indexOf(".") + 1, token.lastIndexOf(".")));
}

export function isSignedBy(token: string, key: HmacSha256): boolean {
  const last = token.lastIndexOf(".");
  if (!isSameText(token.slice(last + 1), key.of(token.slice(0, last)))) return false;
  const itsHeader = token.slice(0, token.indexOf("."));
  if (itsHeader === header) return true;
  const parsed = parse(itsHeader);
  // `crit` names extensions that must be understood (RFC 7515, 4.1.11); this server understands none.
  return parsed?.alg === "HS256" && !("crit" in parsed);
}

/** Takes constant time: an early return would reveal how much of a forged signature was right. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

/** Shared, because every request decodes a token and separate buffers would all be garbage. */
const decoded = Buffer.alloc(tokenLengthMax);

function parse(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(decoded.toString("utf8", 0, decoded.write(part, "base64url")));
    return typeof value === "object" && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
