import { type Decider, type Millis, RulesMissing, type Saved } from "@openseat/kernel";
import { decodeEntry, type Entry, firstHash, nextHash } from "../../log/entry.ts";
import type { Log, Snapshot, StoredBatch, StreamName } from "../../log/log.ts";
import { KeyMemory } from "./keys/key-memory.ts";
import { decodeSnapshot } from "./snapshot-format.ts";

const readEntriesMax = 5_000;

/** A stream in memory: a cache of its log, up to and including `version`. */
export interface StreamState<State> {
  version: number;
  hash: string;
  /** The time of the newest entry: times never go back within a stream, whatever the clock does. */
  at: Millis;
  state: State | undefined;
  keys: KeyMemory;
  /** The length of all entries so far. */
  characters: number;
  /** What the stored snapshot has; zeros when there is none. */
  snapshot: { readonly version: number; readonly characters: number };
}

/** The stored entries do not follow from each other, or from the rules. */
export class LogDamaged extends Error {
  override readonly name = "LogDamaged";
  readonly stream: StreamName;

  constructor(stream: StreamName, what: string, options?: ErrorOptions) {
    super(`The log of ${stream} is damaged: ${what}.`, options);
    this.stream = stream;
  }
}

/** LG13: the room is whole, but this build lacks the rules of its game. */
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

/** LG5: what the log and its snapshot hold is enough. */
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
    // CL6: the log may have gone back between two reads, and a snapshot may be from before that. Damage is there the second time too.
    return readOn(log, stream, decider, empty(stream, decider));
  }
}

async function readOn<State, Command, Event>(
  log: Log,
  stream: StreamName,
  { evolve }: Pick<Decider<State, Command, Event>, "evolve">,
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
  // It has grown while it was read; or it never had what the snapshot says.
  if (loaded.version > (head?.version ?? 0) && ((await log.head(stream))?.version ?? 0) < loaded.version)
    throw new LogDamaged(stream, `it ends before version ${loaded.version}`);
  return loaded;
}

function empty<State>(
  stream: StreamName,
  { keys }: Pick<Decider<State, never, never>, "keys">,
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

/** Undefined for one that cannot be read: the log holds everything. */
function fromSnapshot<State>(
  { version, hash, parts }: Snapshot,
  { snapshots, keys }: Pick<Decider<State, never, never>, "snapshots" | "keys">,
): StreamState<State> | undefined {
  try {
    const saved = decodeSnapshot(parts);
    if (typeof saved.head.characters !== "number") throw new Error("a snapshot of an older server");
    const memory = KeyMemory.restore(saved.head, saved.columns, keys.areKept);
    return {
      version,
      hash,
      at: saved.head.at as Millis,
      state: snapshots.restore(saved),
      keys: memory,
      characters: saved.head.characters as number,
      snapshot: { version, characters: saved.head.characters as number },
    };
  } catch {
    return undefined;
  }
}

export function saveStream<State>(loaded: StreamState<State>, save: (state: State) => Saved): Saved {
  const { head, columns, lists } = save(loaded.state!);
  const keys = loaded.keys.save();
  const { at, characters } = loaded;
  return {
    head: { ...head, ...keys.head, at, characters },
    columns: { ...columns, ...keys.columns },
    ...(lists && { lists }),
  };
}

/**
 * Gives the entries that the state did not have. `trusted` is what another node has written a moment ago, and has hashed
 * itself: to do it again, while other nodes wait for the stream, would cost a third of all this.
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
      loaded.characters += line.length;
      for (const event of entry.events) loaded.state = evolve(loaded.state, event, entry.at, entry.version);
      if (entry.key !== undefined) loaded.keys.remember(entry.by, entry.key, entry.version, entry.at);
      loaded.version = entry.version;
      loaded.at = entry.at;
      entries.push(entry);
    });
    if (hashes === "trusted") loaded.hash = batch.hash;
    else if (loaded.hash !== batch.hash)
      throw new Error(`the hash after version ${loaded.version} is another`);
  } catch (cause) {
    if (cause instanceof RulesMissing) throw new RoomUnsupported(stream, cause.game);
    throw new LogDamaged(stream, (cause as Error).message, { cause });
  }
  return entries;
}
