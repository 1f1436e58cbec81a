import {
  type ArenaEvent,
  type ArenaTerms,
  arenaNotFound,
  type Ended,
  gameNamed,
  Match,
  type Refusal,
  type Started,
} from "@openseat/kernel";
import type { MatchList, MatchResult, Replay, Sight } from "@openseat/protocol";
import type { Entry } from "../../log/entry.ts";
import type { TimeSlices } from "../../scheduling/time-slices.ts";
import { arenaGameView, matchResultView } from "../../views/arena-views.ts";
import { iso } from "../../views/times.ts";
import { unknownCursor } from "../paging.ts";
import { type AsyncResult, type Refused, refused } from "../result.ts";
import { readRoom } from "../rooms/rooms.ts";
import type { ArenaStreams } from "./arenas.ts";

const matchNotFound: Refusal = { code: "match.not-found", message: "There is no such match in this arena." };
const matchRunning: Refusal = {
  code: "match.running",
  message: "This match is not over yet. It can be replayed when it is.",
};

/**
 * The maximum number of entries between the first and the last of a match from an older version, whose end does not hold its
 * moves.
 */
const replayEntriesMax = 250_000;
/** Takes about 1 ms. */
const entriesPerSlice = 100;
const movesPerSlice = 50;

const tooMuchHappened: Refusal = {
  code: "match.too-long",
  message: "This match is too long to replay, because too much happened in the arena during it.",
};

/** Matches that are over. Memory holds the version at which each ended; the log holds the rest (MT4). */
export class Matches {
  readonly #streams: ArenaStreams;
  readonly #slices: TimeSlices;
  readonly #entriesMax: number;

  constructor(streams: ArenaStreams, slices: TimeSlices, entriesMax = replayEntriesMax) {
    this.#streams = streams;
    this.#slices = slices;
    this.#entriesMax = entriesMax;
  }

  /** The newest first, from the match that the entry of version `before` ended. */
  async list(id: string, before: number | undefined, limit: number): AsyncResult<MatchList> {
    const found = await this.#find(id);
    if ("refusal" in found) return found;
    const { terms, version, lastEnded } = found.value;
    if (before !== undefined && (before < 1 || before > version)) return refused(unknownCursor);
    const matches: MatchResult[] = [];
    let next: number | null = before ?? lastEnded;
    while (next !== null && matches.length < limit) {
      const entry: Entry<ArenaEvent> = await this.#streams.entry(id, next);
      const ended = endIn(entry);
      if (!ended) return refused(unknownCursor);
      matches.push(matchResultView(terms.labels, ended, entry.at));
      next = ended.previous;
    }
    const nextCursor = next === null ? null : String(next);
    return { value: { matches, nextCursor } };
  }

  /** MT4. `isWanted` is false once the caller has gone. */
  async replay(id: string, match: number, isWanted = () => true): Promise<PagedReplay | Refused> {
    const found = await this.#find(id, match);
    if ("refusal" in found) return found;
    const { terms, version, running, end } = found.value;
    if (match < 1 || match > version) return { refusal: matchNotFound };
    if (match === running) return { refusal: matchRunning };
    const first: Entry<ArenaEvent> = await this.#streams.entry(id, match);
    const started = first.events.find((event) => event.type === "started");
    if (!started) return { refusal: matchNotFound };
    const stored = end === undefined ? undefined : await this.#storedAtEnd(id, match, end);
    const finished = stored ?? (await this.#walk(id, match, isWanted));
    return "refusal" in finished ? finished : this.#replay(terms, started, finished);
  }

  /** From the entry that ended the match. Undefined if that entry has no moves, or ended another match. */
  async #storedAtEnd(id: string, match: number, version: number): Promise<Finished | Refused | undefined> {
    const entry: Entry<ArenaEvent> = await this.#streams.entry(id, version);
    const ended = endIn(entry);
    if (ended?.match !== match) return undefined;
    const { startedAt, played } = ended;
    if (!played && ended.moves > 0)
      return version > match + this.#entriesMax ? { refusal: tooMuchHappened } : undefined;
    const moves = (played ?? []).map(([seat, move, afterMs]) => ({ seat, move, at: startedAt + afterMs }));
    return { ended, at: entry.at, moves };
  }

  /** From all entries between the first and the last. */
  async #walk(id: string, match: number, isWanted: () => boolean): Promise<Finished | Refused> {
    const moves: TimedMove[] = [];
    const after = this.#streams.entriesAfter(id, match)[Symbol.asyncIterator]();
    // Bounded: other people can come and go without limit between two moves.
    for (let read = 0; read < this.#entriesMax && isWanted(); ) {
      const most = Math.min(entriesPerSlice, this.#entriesMax - read);
      const entries = await this.#slices.run(() => next(after, most));
      if (entries.length === 0) return { refusal: matchRunning };
      for (const entry of entries) {
        for (const event of entry.events)
          if (event.type === "moved") moves.push({ seat: event.seat, move: event.move, at: entry.at });
        const ended = endIn(entry);
        if (ended) return { ended, at: entry.at, moves };
      }
      read += entries.length;
    }
    return { refusal: tooMuchHappened };
  }

  #replay(terms: ArenaTerms, { seed }: Started, { ended, at, moves }: Finished): PagedReplay {
    const game = terms.game === null ? undefined : gameNamed(terms.game);
    const play = game && new Match(game, { seed, options: terms.options, moves: [] });
    return {
      match: matchResultView(terms.labels, ended, at),
      game: arenaGameView(terms.game),
      start: (play?.sight(undefined) as Sight | undefined) ?? null,
      pages: this.#pages(terms, play, play ? moves : []),
    };
  }

  /** The table after each move, as a viewer who does not play sees it. */
  async *#pages(
    { labels }: ArenaTerms,
    play: Match | undefined,
    moves: readonly TimedMove[],
  ): AsyncGenerator<Replay["moves"]> {
    for (let done = 0; done < moves.length; done += movesPerSlice)
      yield await this.#slices.run(() =>
        moves.slice(done, done + movesPerSlice).map(({ seat, move, at }) => {
          play!.play(seat, move);
          return { label: labels[seat], move, at: iso(at), sight: play!.sight(undefined) as Sight };
        }),
      );
  }

  /** `end` is where the match that began with this version ended, if that is known. */
  #find(id: string, match?: number) {
    return readRoom(this.#streams, id, arenaNotFound, ({ terms, ends, last, match: running }, version) => {
      const end = match === undefined ? undefined : ends.after(match);
      const lastEnded = last?.version ?? null;
      return { value: { terms, version, running: running?.id as number | undefined, lastEnded, end } };
    });
  }
}

/** A replay whose moves come in pages, because a long match has tens of thousands. */
export type PagedReplay = Omit<Replay, "moves"> & { readonly pages: AsyncGenerator<Replay["moves"]> };

interface Finished {
  readonly ended: Ended;
  readonly at: number;
  readonly moves: readonly TimedMove[];
}

interface TimedMove {
  readonly seat: number;
  readonly move: string;
  readonly at: number;
}

/** Returns up to `most` items; an empty list at the end. */
async function next<Item>(items: AsyncIterator<Item>, most: number): Promise<Item[]> {
  const found: Item[] = [];
  while (found.length < most) {
    const item = await items.next();
    if (item.done) break;
    found.push(item.value);
  }
  return found;
}

function endIn({ events }: Entry<ArenaEvent>): Ended | undefined {
  return events.find((event) => event.type === "ended");
}
