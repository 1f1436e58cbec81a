import type { HeaderLine } from "../envelope.ts";

/** Header lines as Fastify takes them, and as the fast path writes them: each after a line end. */
export interface HeaderBlock {
  readonly lines: readonly HeaderLine[];
  readonly text: string;
}

export function blockOf(lines: readonly HeaderLine[]): HeaderBlock {
  let text = "";
  for (const [name, value] of lines) text += `\r\n${name}: ${value}`;
  return { lines, text };
}
