/** The addresses of one line's pages and forms. */
export interface Addresses {
  readonly page: string;
  readonly line: string;
  readonly go: string;
  readonly leave: string;
  readonly enter: string;
  readonly move: string;
}

/** `base` is the base path of the server. Every address carries the return address, so that no page loses it. */
export function addressesOf(queue: string, returnTo: string | undefined, base = ""): Addresses {
  const line = `${base}/wait/${encodeURIComponent(queue)}`;
  const query = returnTo === undefined ? "" : `?return=${encodeURIComponent(returnTo)}`;
  return {
    page: line + query,
    line,
    go: `${line}/go${query}`,
    leave: `${line}/leave${query}`,
    enter: `${line}/enter${query}`,
    move: `${line}/move${query}`,
  };
}
