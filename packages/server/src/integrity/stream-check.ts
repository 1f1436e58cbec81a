import { SnapshotDigest } from "../host/stream/snapshot-format.ts";
import { firstHash, nextHash } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";

/** A room with a damaged snapshot works, because it is loaded from its entries instead. */
export interface Damage {
  readonly part: "log" | "snapshot";
  readonly reason: string;
}

/** Hashing this many takes about a millisecond. */
const entriesAtOnce = 500;

type Slices<Found> = AsyncGenerator<undefined, Found | undefined>;

export async function* checkStream(log: Log, stream: StreamName): Slices<Damage> {
  const inEntries = yield* checkEntries(log, stream);
  if (inEntries !== undefined) return { part: "log", reason: inEntries };
  const inSnapshot = yield* checkSnapshot(log, stream);
  return inSnapshot === undefined ? undefined : { part: "snapshot", reason: inSnapshot };
}

/** Reads the head first. The stream may advance meanwhile; later entries are not checked. */
async function* checkEntries(log: Log, stream: StreamName): Slices<string> {
  const head = await log.head(stream);
  if (!head) return undefined;
  let version = 0;
  let hash = firstHash(stream);
  while (version < head.version) {
    const batches = await log.read(stream, version, entriesAtOnce);
    if (batches.length === 0) return `it ends at version ${version} instead of ${head.version}`;
    for (const { first, lines, hash: stored } of batches) {
      if (first !== version + 1) return `version ${version + 1} is missing`;
      for (const line of lines) hash = nextHash(hash, line);
      version += lines.length;
      if (hash !== stored) return `versions ${first} to ${version} do not match their hash`;
      if (version >= head.version) break;
    }
    yield;
  }
  if (version !== head.version || hash !== head.hash) return "its entries do not match its head";
  return undefined;
}

async function* checkSnapshot(log: Log, stream: StreamName): Slices<string> {
  const first = await log.snapshotPart(stream, 0);
  const digest = new SnapshotDigest();
  for (let next = first, part = 1; next; part++) {
    // A newer snapshot has replaced it.
    if (next.version !== first!.version) return undefined;
    digest.add(next.bytes);
    yield;
    next = await log.snapshotPart(stream, part);
  }
  return !first || digest.isRight()
    ? undefined
    : `the snapshot at version ${first.version} does not match its digest`;
}
