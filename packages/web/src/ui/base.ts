/** The base path of the server, such as `/openseat`; empty at the root of a host. The server writes it into the document. */
export const base: string = globalThis.document?.documentElement.dataset.base ?? "";

/** The path as the server sees it. */
export function withoutBase(path: string): string {
  return path === base || path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
