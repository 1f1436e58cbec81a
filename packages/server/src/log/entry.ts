import { hash } from "node:crypto";
import type { Millis } from "@openseat/kernel";

/** Version of the entry format. How formats evolve: docs/adr/0004-entries-and-their-format.md. */
export const entryFormat = 1;

/** One command that changed something: the unit of the log. */
export interface Entry<Event = unknown> {
  readonly format: typeof entryFormat;
  /** Consecutive numbers within the stream, starting at 1. */
  readonly version: number;
  readonly at: Millis;
  /** The actor: a person, `@service`, `@operator`, or `@clock`. */
  readonly by: string;
  /** The command in a canonical form, by which a repeated key is recognised (ID2). */
  readonly command: string;
  readonly key?: string;
  readonly events: readonly Event[];
}

/** The bytes that are stored and hashed. One function encodes them, so that every store has the same bytes (LG4). */
export function encodeEntry(entry: Entry): string {
  return JSON.stringify(entry);
}

export function decodeEntry<Event>(line: string): Entry<Event> {
  const entry = JSON.parse(line) as Entry<Event>;
  if (entry.format !== entryFormat) {
    throw new Error(
      `An entry has format ${String(entry.format)}; this server reads format ${entryFormat}. Is the data from a newer version?`,
    );
  }
  return entry;
}

/** The chain starts from the stream's name, so that entries cannot be moved to another stream. */
export function firstHash(stream: string): string {
  return hash("sha256", `openseat ${entryFormat} ${stream}`);
}

export function nextHash(previous: string, line: string): string {
  return hash("sha256", previous + line);
}
