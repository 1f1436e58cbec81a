import { type Decider, type Millis, RulesMissing, type Saved } from "@openseat/kernel";
import { decodeEntry, type Entry, firstHash, nextHash } from "../../log/entry.ts";
import type { Log, Snapshot, StoredBatch, StreamName } from "../../log/log.ts";
import { KeyMemory } from "./keys/key-memory.ts";
import { decodeSnapshot } from "./snapshot-format.ts";

const readEntriesMax = 5_000;

export interface StreamState<State> {
  version: number;
  hash: string;
  /** The time of the newest entry. Times never go back within a stream. */
  at: Millis;
  state: State | undefined;
  keys: KeyMemory;
  characters: number;
  /** Version and length of the stored snapshot; zeros if there is none. */
  snapshot: { readonly version: number; readonly characters: number };
}

/** The stored entries do not follow from each other, or violate the rules. */
export class LogDamaged extends Error {
  override readonly name = "LogDamaged";
  readonly stream: StreamName;

  constructor(stream: StreamName, what: string, options?: ErrorOptions) {
    super(`The log of ${stream} is damaged: ${what}.`, options);
    this.stream = stream;
  }
}

/** LG13: the room is intact, but this build lacks the rules of its game. */
export class RoomUnsupported extends Error {
  override readonly name = "RoomUnsupported";
  readonly stream: StreamName;
  readonly game: string;

  constructor(stream: StreamName, game: string) {
    super(`${stream} cannot be read: this build has no rules of the game ${game}.`);
    this.stream = stream;
    this.game = game;
  }
}

/** LG5: loads a stream from its snapshot and the entries after it. */
export async function loadStream<State, Command, Event>(
  log: Log,
  stream: StreamName,
  decider: Decider<State, Command, Event>,
): Promise<StreamState<State>> {
  const snapshot = await log.loadSnapshot(stream);
  const restored = snapshot && fromSnapshot(snapshot, decider);
  try {
    return await readOn(log, stream, decider, restored ?? empty(stream, decider));
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    // CL6: the log may have gone back between two reads, or since the snapshot. Real damage is still there on the second read.
    return readOn(log, stream, decider, empty(stream, decider));
  }
}

async function readOn<State, Command, Event>(
  log: Log,
  stream: StreamName,
  { evolve }: Decider<State, Command, Event>,
  loaded: StreamState<State>,
): Promise<StreamState<State>> {
  const head = await log.head(stream);
  for (;;) {
    const batches = await log.read(stream, loaded.version, readEntriesMax);
    if (batches.length === 0) break;
    for (const batch of batches) replay(stream, loaded, batch, evolve, "checked");
  }
  if (head && head.version >= loaded.version && head.hash !== loaded.hash)
    throw new LogDamaged(stream, `it does not reach version ${head.version}`);
  // The stream advanced while it was read, or the snapshot is ahead of the log.
  if (loaded.version > (head?.version ?? 0) && ((await log.head(stream))?.version ?? 0) < loaded.version)
    throw new LogDamaged(stream, `it ends before version ${loaded.version}`);
  return loaded;
}

function empty<State, Command, Event>(
  stream: StreamName,
  { keys }: Decider<State, Command, Event>,
): StreamState<State> {
  return {
    version: 0,
    hash: firstHash(stream),
    at: 0 as Millis,
    state: undefined,
    keys: new KeyMemory(0 as Millis, keys.areKept),
    characters: 0,
    snapshot: { version: 0, characters: 0 },
  };
}

function fromSnapshot<State, Command, Event>(
  { version, hash, parts }: Snapshot,
  { snapshots, keys }: Decider<State, Command, Event>,
): StreamState<State> | undefined {
  try {
    const saved = decodeSnapshot(parts);
    const { at, characters } = saved.head;
    if (typeof characters !== "number") throw new Error("a snapshot of an older server");
    return {
      ...{ version, hash, characters },
      at: at as Millis,
      state: snapshots.restore(saved),
      keys: KeyMemory.restore(saved.head, saved.columns, keys.areKept),
      snapshot: { version, characters },
    };
  } catch {
    return undefined;
  }
}

export function saveStream<State>(loaded: StreamState<State>, save: (state: State) => Saved): Saved {
  const saved = save(loaded.state!);
  const keys = loaded.keys.save();
  const { at, characters } = loaded;
  return {
    ...saved,
    head: { ...saved.head, ...keys.head, at, characters },
    columns: { ...saved.columns, ...keys.columns },
  };
}

/** Applies an entry to the state. The caller checks the hash chain. */
export function apply<State, Event>(
  loaded: StreamState<State>,
  { version, at, by, key, events }: Entry<Event>,
  line: string,
  evolve: Decider<State, unknown, Event>["evolve"],
): void {
  for (const event of events) loaded.state = evolve(loaded.state, event, at, version);
  if (key !== undefined) loaded.keys.remember(by, key, version, at);
  loaded.version = version;
  loaded.at = at;
  loaded.characters += line.length;
}

/**
 * Returns the entries that the state did not have. With `trusted`, the log has already checked that the batch continues memory:
 * hashing it again, while other nodes wait for the stream, would cost a third of the time.
 */
export function replay<State, Event>(
  stream: StreamName,
  loaded: StreamState<State>,
  batch: StoredBatch,
  evolve: Decider<State, unknown, Event>["evolve"],
  hashes: "checked" | "trusted",
): Entry<Event>[] {
  const entries: Entry<Event>[] = [];
  try {
    batch.lines.forEach((line, index) => {
      if (batch.first + index <= loaded.version) return;
      const entry = decodeEntry<Event>(line);
      if (entry.version !== loaded.version + 1)
        throw new Error(`version ${entry.version} after ${loaded.version}`);
      if (hashes === "checked") loaded.hash = nextHash(loaded.hash, line);
      apply(loaded, entry, line, evolve);
      entries.push(entry);
    });
    if (hashes === "trusted") loaded.hash = batch.hash;
    else if (loaded.hash !== batch.hash)
      throw new Error(`the hash after version ${loaded.version} does not match`);
  } catch (cause) {
    if (cause instanceof RulesMissing) throw new RoomUnsupported(stream, cause.game);
    throw new LogDamaged(stream, (cause as Error).message, { cause });
  }
  return entries;
}
