/** The origins whose pages may use the API from other sites: all, or these. */
export type AllowedOrigins = "*" | ReadonlySet<string>;

const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/;

/** Parses the setting `allowedOrigins`; undefined if it is invalid. */
export function allowedOrigins(text: string): AllowedOrigins | undefined {
  if (text.trim() === "*") return "*";
  const origins = text.split(",").map((origin) => origin.trim());
  return origins.every(isOrigin) ? new Set(origins) : undefined;
}

/**
 * Browsers send origins in one spelling. An entry in another one, such as with a capital or the default port, would never
 * match.
 */
function isOrigin(text: string): boolean {
  if (!originPattern.test(text) || !URL.canParse(text)) return false;
  // Apps have their own schemes, such as capacitor://localhost, for which URL has no origin.
  return !/^https?:/.test(text) || new URL(text).origin === text;
}
