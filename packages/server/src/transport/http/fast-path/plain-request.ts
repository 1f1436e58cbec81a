/**
 * The plainest form of a head: a target, HTTP/1.1, and a header per line in printable ASCII. No two programs can read such a head
 * differently; any other form goes to Node's own parser. Each line matches in only one way, so a head that fails late costs no
 * more than one that matches.
 */
const plainHead = /[A-Z]{3,7} \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\x20-\x7e]*\r\n)+\r\n/y;
/** A prefix that may become a plain head when more has arrived. */
const plainPrefix =
  /^[A-Z]{1,7}(?:$| (?:$|\/[\x20-\x7e]*\r?$|\/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\x20-\x7e]*\r\n)*[\x21-\x7e][\x20-\x7e]*\r?$|\/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\x20-\x7e]*\r\n)*\r?$))/;

/** Node refuses more than 1,000 headers. Requests with more than this are rare and go to Node. */
const headersMax = 100;

const plainLength = /^(?:0|[1-9]\d{0,5})$/;

/** The headers that the fast path reads. A request that repeats one of them is not plain. */
class PlainHeaders {
  authorization: string | undefined = undefined;
  host: string | undefined = undefined;
  connection: string | undefined = undefined;
  origin: string | undefined = undefined;
  "idempotency-key": string | undefined = undefined;
  "content-length": string | undefined = undefined;
  "content-type": string | undefined = undefined;
  "user-agent": string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-request-id": string | undefined = undefined;
}

/** A request with one of these is not plain. */
const forNode = ["expect", "upgrade", "proxy-connection", "transfer-encoding"] as const;

interface KnownName {
  /** The two spellings that nearly all clients use. */
  readonly lower: string;
  readonly capitalised: string;
  readonly use: keyof PlainHeaders | "for-node";
}

/** By length: most headers then need no comparison. */
const knownNames: KnownName[][] = Array.from({ length: 32 }, () => []);
for (const lower of Object.keys(new PlainHeaders()) as (keyof PlainHeaders)[]) addName(lower, lower);
for (const lower of forNode) addName(lower, "for-node");

function addName(lower: string, use: KnownName["use"]): void {
  const capitalised = lower.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  knownNames[lower.length].push({ lower, capitalised, use });
}

export interface PlainRequest {
  readonly headers: PlainHeaders;
  readonly bodyStart: number;
  /** Where the next request begins. The body may still be incomplete. */
  readonly end: number;
}

/** Reads the head of the request at the start of `text`. Partial: it may be plain when more has arrived. */
export function readPlain(text: string): PlainRequest | "partial" | "other" {
  plainHead.lastIndex = 0;
  if (!plainHead.test(text)) return plainPrefix.test(text) ? "partial" : "other";
  const bodyStart = plainHead.lastIndex;
  const headers = new PlainHeaders();
  let count = 0;
  let at = text.indexOf("\r\n") + 2;
  while (at < bodyStart - 2) {
    const lineEnd = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    if (++count > headersMax || !note(headers, text, at, colon, lineEnd)) return "other";
    at = lineEnd + 2;
  }
  const { host, connection, "content-length": length = "0" } = headers;
  if (!host || !plainLength.test(length)) return "other";
  if (connection !== undefined && connection.toLowerCase() !== "keep-alive") return "other";
  return { headers, bodyStart, end: bodyStart + Number(length) };
}

/** False for a header that makes the request not plain. */
function note(headers: PlainHeaders, text: string, start: number, colon: number, end: number): boolean {
  const use = useOf(text, start, colon);
  if (use === undefined) return true;
  if (use === "for-node" || headers[use] !== undefined) return false;
  headers[use] = text.slice(colon + 1, end).trim();
  return true;
}

function useOf(text: string, start: number, colon: number): KnownName["use"] | undefined {
  const known = knownNames[colon - start];
  if (known === undefined || known.length === 0) return undefined;
  for (const { lower, capitalised, use } of known)
    if (text.startsWith(capitalised, start) || text.startsWith(lower, start)) return use;
  const given = text.slice(start, colon).toLowerCase();
  return known.find(({ lower }) => lower === given)?.use;
}
