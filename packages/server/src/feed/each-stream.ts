import type { Log, StreamName } from "../log/log.ts";

/** Streams that one question asks for. */
const askedMax = 1_000;

/**
 * How far each of these streams is by now: what other nodes have written to them may have been missed. To be asked first, and
 * of many in one go: it is asked every few seconds, and mostly nothing was missed.
 */
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
