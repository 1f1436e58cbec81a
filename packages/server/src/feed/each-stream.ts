import type { Log, StreamName } from "../log/log.ts";

/** Streams per read. */
const askedMax = 1_000;

/** Calls `catchUp` with the head of each stream. Many heads are read at once, because this runs every few seconds. */
export async function eachStream(
  log: Pick<Log, "heads">,
  streams: readonly StreamName[],
  catchUp: (stream: StreamName, version: number) => void,
): Promise<void> {
  for (let from = 0; from < streams.length; from += askedMax) {
    const asked = streams.slice(from, from + askedMax);
    const heads = await log.heads(asked);
    for (const [index, stream] of asked.entries()) catchUp(stream, heads[index]?.version ?? 0);
  }
}
