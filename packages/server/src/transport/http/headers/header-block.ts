import type { HeaderLine } from "../envelope.ts";

/** Headers for Fastify, and as the text that the fast path writes. */
export interface HeaderBlock {
  readonly lines: readonly HeaderLine[];
  readonly text: string;
}

/** HT1: for every response. A response may hold a token, so by default no cache may store it. */
export const commonHeaders: readonly HeaderLine[] = [
  ["x-content-type-options", "nosniff"],
  ["cache-control", "no-store"],
];

export function blockOf(lines: readonly HeaderLine[]): HeaderBlock {
  let text = "";
  for (const [name, value] of lines) text += `\r\n${name}: ${value}`;
  return { lines, text };
}
