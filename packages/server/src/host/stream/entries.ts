import { decodeEntry, type Entry } from "../../log/entry.ts";
import type { Log, StreamName } from "../../log/log.ts";
import { LogDamaged } from "./stream-state.ts";

const pageEntries = 500;

export async function entryAt<Event>(log: Log, stream: StreamName, version: number): Promise<Entry<Event>> {
  const line = await log.line(stream, version);
  if (line === undefined) throw new LogDamaged(stream, `it has no version ${version}`);
  return decodeEntry<Event>(line);
}

export async function* entriesAfter<Event>(
  log: Log,
  stream: StreamName,
  version: number,
): AsyncGenerator<Entry<Event>> {
  let last = version;
  for (;;) {
    const batches = await log.read(stream, last, pageEntries);
    if (batches.length === 0) return;
    for (const { first, lines } of batches) {
      for (const line of lines.slice(Math.max(0, last + 1 - first))) yield decodeEntry<Event>(line);
      last = first + lines.length - 1;
    }
  }
}
