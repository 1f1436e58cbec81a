import { isDeepStrictEqual } from "node:util";
import type { GameEvent } from "@openseat/kernel";
import {
  type Append,
  decodeEntry,
  type Entry,
  firstHash,
  type Log,
  nextHash,
  type StreamName,
} from "@openseat/server";
import { fold, type Game, must } from "./model.ts";
import { listingOf } from "./model-answers.ts";

/** ID3: for so long, a key leads to the same entry. After it, the server may have forgotten. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** One stream as it became durable, with the model's game after each entry. */
export class History {
  readonly lines: string[] = [];
  readonly entries: Entry<GameEvent>[] = [];
  /** By version: the game after so many entries. */
  readonly games: (Game | undefined)[] = [undefined];
  hash: string;

  constructor(stream: StreamName) {
    this.hash = firstHash(stream);
  }

  get version(): number {
    return this.lines.length;
  }

  /** The newest entry, not after `version`, that this key of this person led to. */
  keyed(by: string, key: string, version: number): Entry<GameEvent> | undefined {
    return this.entries.findLast((entry) => entry.version <= version && entry.by === by && entry.key === key);
  }

  /** Whether at `version` the key of that entry must still be known. */
  remembers({ at }: Entry, version: number): boolean {
    return this.games[version]!.at - at <= keyLifetimeMs;
  }

  add(line: string): void {
    const entry = decodeEntry<GameEvent>(line);
    const version = this.version + 1;
    must(entry.version === version, "LG1", `version ${entry.version} follows version ${this.version}`);
    const twin = entry.key === undefined ? undefined : this.keyed(entry.by, entry.key, version);
    const again = twin && entry.at - twin.at <= keyLifetimeMs;
    must(!again, "ID1", `key ${entry.key} of ${entry.by} led to versions ${twin?.version} and ${version}`);
    this.games.push(fold(this.games[this.version], entry));
    this.lines.push(line);
    this.entries.push(entry);
    this.hash = nextHash(this.hash, line);
  }
}

/**
 * What has become durable, as seen in the store itself and not as told by any server. Every entry is checked the
 * moment it is there.
 */
export class Ledger {
  readonly #histories = new Map<StreamName, History>();
  entries = 0;

  history(stream: StreamName): History {
    const history = this.#histories.get(stream) ?? new History(stream);
    this.#histories.set(stream, history);
    return history;
  }

  get streams(): readonly StreamName[] {
    return [...this.#histories.keys()].filter((stream) => this.history(stream).version > 0);
  }

  /** The store says that it has appended this. */
  async observe(store: Log, { stream, due, listing }: Append): Promise<void> {
    const history = this.history(stream);
    const before = history.version;
    for (const batch of await store.read(stream, before, Number.POSITIVE_INFINITY)) {
      must(
        batch.first === history.version + 1,
        "LG3",
        `version ${batch.first} was written after ${history.version}`,
      );
      for (const line of batch.lines) history.add(line);
      must(batch.hash === history.hash, "LG3", `the chain of hashes breaks at version ${history.version}`);
    }
    must(history.version > before, "LG3", "an append was called written and nothing was there");
    this.entries += history.version - before;
    const game = history.games[history.version]!;
    must(isDeepStrictEqual(listing, listingOf(game)), "RM6", "the list of games disagrees with the game");
    const dueExpected = game.ended ? undefined : (game.terms.endsAt ?? undefined);
    must(due === dueExpected, "RM7", `the game is due at ${dueExpected}, and was stored as due at ${due}`);
  }

  /** Nothing that was durable once has changed or gone. */
  async compareWith(store: Log): Promise<void> {
    for (const stream of this.streams) {
      const stored = (await store.read(stream, 0, Number.POSITIVE_INFINITY)).flatMap(({ lines }) => lines);
      const same = isDeepStrictEqual(stored, this.history(stream).lines);
      must(same, "LG3", `what was written of ${stream} is no longer what is stored`);
    }
  }
}
