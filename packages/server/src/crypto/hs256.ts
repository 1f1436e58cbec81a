import { HmacSha256 } from "./hmac.ts";

/**
 * JSON Web Tokens under a shared secret. Written here, and synchronous, because every join checks one: a library
 * that goes through WebCrypto's thread pool costs as much as a bare HTTP request (ADR 0006).
 */
export type Claims = Readonly<Record<string, unknown>>;

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");

/** Longer ones are refused before anything is computed. */
export const tokenLengthMax = 8192;

export function hs256Key(secret: string): HmacSha256 {
  return new HmacSha256(secret, tokenLengthMax);
}

export function signHs256(claims: Claims, key: HmacSha256): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signed}.${key.of(signed)}`;
}

/** What a token says of itself, before anything is proved: enough to know whose signature to look for. */
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

/** In the same time wherever they differ: an early return would tell a forger how much of a guess was right. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

/** Every request decodes one: a buffer for each would be one more thing to collect. */
const decoded = Buffer.alloc(tokenLengthMax);

function parse(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(decoded.toString("utf8", 0, decoded.write(part, "base64url")));
    return typeof value === "object" && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
