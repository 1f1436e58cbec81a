import type { HeaderLine } from "../envelope.ts";

/** Header lines as Fastify takes them, and as the fast path writes them: each after a line end. */
export interface HeaderBlock {
  readonly lines: readonly HeaderLine[];
  readonly text: string;
}

/**
 * HT1: every answer has these. No cache may keep it unless its route overrides that: it may hold a token or a person's
 * place.
 */
export const commonHeaders: readonly HeaderLine[] = [
  ["x-content-type-options", "nosniff"],
  ["cache-control", "no-store"],
];

export function blockOf(lines: readonly HeaderLine[]): HeaderBlock {
  let text = "";
  for (const [name, value] of lines) text += `\r\n${name}: ${value}`;
  return { lines, text };
}
