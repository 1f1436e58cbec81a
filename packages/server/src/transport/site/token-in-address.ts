/** The query parameter in which the waiting page passes the proof of admission to a site on another origin. */
const parameter = "openseat_token";

export function withToken(address: string, token: string): string {
  const { before, fields, after } = split(address);
  return `${before}?${[...fields.filter(isOther), `${parameter}=${token}`].join("&")}${after}`;
}

/** Tokens have no characters that need escaping. */
export function tokenIn(address: string): string | undefined {
  const field = split(address).fields.find((it) => !isOther(it));
  return field?.slice(parameter.length + 1);
}

/** The rest stays unchanged byte for byte, because a site may parse its query in its own way. */
export function withoutToken(address: string): string {
  const { before, fields, after } = split(address);
  if (fields.every(isOther)) return address;
  const rest = fields.filter(isOther);
  return before + (rest.length > 0 ? `?${rest.join("&")}` : "") + after;
}

function isOther(field: string): boolean {
  return field !== parameter && !field.startsWith(`${parameter}=`);
}

function split(address: string): { before: string; fields: string[]; after: string } {
  const hash = address.indexOf("#");
  const end = hash < 0 ? address.length : hash;
  const after = address.slice(end);
  const mark = address.indexOf("?");
  if (mark < 0 || mark > end) return { before: address.slice(0, end), fields: [], after };
  return { before: address.slice(0, mark), fields: address.slice(mark + 1, end).split("&"), after };
}
