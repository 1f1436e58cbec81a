/** What the gate reads of a request. A `Request` of the platform is one. */
export interface GateRequest {
  readonly method: string;
  /** The path and query, or a full address, of which only the path and query count. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** Where a request was received. */
export interface GateContext {
  /** Keeps a Worker alive until the promise settles. */
  waitUntil?(promise: Promise<unknown>): void;
  /** The path below which the gate is mounted. */
  readonly mount?: string | undefined;
}

const json = /[/+]json\b/i;

/** A script or a webhook cannot follow a redirect to the waiting page, and needs an answer that it can read. */
export function looksLikeApiCall({ method, headers }: GateRequest): boolean {
  if (headers.get("sec-fetch-mode") === "navigate") return false;
  if (headers.get("sec-fetch-dest") === "empty" || headers.get("x-requested-with")) return true;
  // A form cannot send JSON.
  if (json.test(headers.get("content-type") ?? "")) return true;
  const accept = headers.get("accept") ?? "";
  const wantsPage = /\btext\/html\b/i.test(accept);
  if (method === "GET" || method === "HEAD") return json.test(accept) && !wantsPage;
  // Browsers ask for a page when they send a form, and forms only use POST.
  return method !== "POST" || !wantsPage;
}
