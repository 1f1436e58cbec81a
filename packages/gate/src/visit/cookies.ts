/** A browser may send several cookies of one name, for different paths. */
const sameNameMax = 4;

/** The values of the cookie that can be tokens, in the order of the header: the most specific path first. */
export function tokensInCookies(header: string | null, name: string): string[] {
  if (!header?.includes(name)) return [];
  const values: string[] = [];
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals < 0 || part.slice(0, equals).trim() !== name) continue;
    const value = part.slice(equals + 1).trim();
    if (isTokenShaped(value)) values.push(value);
    if (values.length === sameNameMax) break;
  }
  return values;
}

/** The characters and length of a signed token, so that no other text reaches a header or the signature check. */
export function isTokenShaped(text: string): boolean {
  return text.length <= 3_800 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

export interface CookieTerms {
  readonly name: string;
  readonly path: string;
  readonly isSecure: boolean;
}

/** For `Set-Cookie`. Scripts cannot read it, and forms of other sites do not send it. */
export function cookie(terms: CookieTerms, value: string, maxAgeSeconds: number): string {
  const { name, path, isSecure } = terms;
  const lasting = `Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`;
  return `${name}=${value}; Path=${path}; ${lasting}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** The id of a session in Openseat's own cookie. */
export function idInCookies(header: string | null, name: string): string | undefined {
  const value = header
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value !== undefined && isId(value) ? value : undefined;
}

/** Ids go into the paths of calls. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[\w-]{1,200}$/.test(text);
}
