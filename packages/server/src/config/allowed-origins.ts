/** Whose pages may use the API from another site: those of any origin, or of these. */
export type AllowedOrigins = "*" | ReadonlySet<string>;

const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/;

/** What the setting `allowedOrigins` means; undefined when it means nothing. */
export function allowedOrigins(text: string): AllowedOrigins | undefined {
  if (text.trim() === "*") return "*";
  const origins = text.split(",").map((origin) => origin.trim());
  return origins.every(isOrigin) ? new Set(origins) : undefined;
}

/** Browsers send an origin in one spelling. An entry in another, such as with a capital or a default port, would never match. */
function isOrigin(text: string): boolean {
  if (!originPattern.test(text) || !URL.canParse(text)) return false;
  // Apps have schemes of their own, such as capacitor://localhost, of which URL knows no origin.
  return !/^https?:/.test(text) || new URL(text).origin === text;
}
