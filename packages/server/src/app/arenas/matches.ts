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
import type { MatchResult, Replay, Sight } from "@openseat/protocol";
import type { Entry } from "../../log/entry.ts";
import type { TimeSlices } from "../../time-slices.ts";
import { type Answer, failure, success } from "../../transport/http/envelope.ts";
import { unknownCursor } from "../../transport/http/validation.ts";
import { arenaGameView, matchResultView } from "../../views/arena-views.ts";
import { iso } from "../../views/times.ts";
import type { ArenaStreams } from "./arenas.ts";

const matchNotFound: Refusal = { code: "match.not-found", message: "There is no such match in this arena." };
const matchRunning: Refusal = {
  code: "match.running",
  message: "This match is not over yet. It can be replayed when it is.",
};

/** Of a match whose end does not tell its moves, as older versions wrote it: entries from its beginning to its end. */
const replayEntriesMax = 250_000;
/** Takes about 1 ms. */
const entriesPerSlice = 100;
const movesPerSlice = 50;

const tooMuchHappened: Refusal = {
  code: "match.too-long",
  message:
    "So much happened in the arena during this match that it is not replayed here. The log has all of it.",
};

/** The matches of arenas that are over. Memory has where each ended, and the log has the rest (MT4). */
export class Matches {
  readonly #streams: ArenaStreams;
  readonly #slices: TimeSlices;
  readonly #entriesMax: number;

  constructor(streams: ArenaStreams, slices: TimeSlices, entriesMax = replayEntriesMax) {
    this.#streams = streams;
    this.#slices = slices;
    this.#entriesMax = entriesMax;
  }

  /** The newest first. `before` is the version of the entry that ended the match to begin with: the end of each names the one before. */
  async list(id: string, before: number | undefined, limit: number): Promise<Answer> {
    const found = await this.#look(id);
    if ("refusal" in found) return failure(found.refusal);
    const { terms, version, lastEnded } = found;
    if (before !== undefined && (before < 1 || before > version)) return failure(unknownCursor);
    const matches: MatchResult[] = [];
    let next: number | null = before ?? lastEnded;
    while (next !== null && matches.length < limit) {
      const entry: Entry<ArenaEvent> = await this.#streams.entry(id, next);
      const ended = endIn(entry);
      if (!ended) return failure(unknownCursor);
      matches.push(matchResultView(terms.labels, ended, entry.at));
      next = ended.previous;
    }
    const nextCursor = next === null ? null : String(next);
    return success(200, "Matches that are over, the newest first.", { matches, nextCursor });
  }

  /** MT4: the answer as JSON, in pieces; or why there is none. Who asks may have gone before a long match is read. */
  async replay(
    id: string,
    match: number,
    isWanted = () => true,
  ): Promise<AsyncGenerator<string> | { refusal: Refusal }> {
    const found = await this.#look(id, match);
    if ("refusal" in found) return { refusal: found.refusal };
    const { terms, version, running, end } = found;
    if (match < 1 || match > version) return { refusal: matchNotFound };
    if (match === running) return { refusal: matchRunning };
    const first: Entry<ArenaEvent> = await this.#streams.entry(id, match);
    const started = first.events.find((event) => event.type === "started");
    if (!started) return { refusal: matchNotFound };
    const told = end === undefined ? undefined : await this.#toldAtEnd(id, match, end);
    const finished = told ?? (await this.#walk(id, match, isWanted));
    return "refusal" in finished ? finished : this.#text(terms, started, finished);
  }

  /** From the entry that ended the match; undefined when it does not tell the moves, or ended another match. */
  async #toldAtEnd(
    id: string,
    match: number,
    version: number,
  ): Promise<Finished | { refusal: Refusal } | undefined> {
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
  async #walk(id: string, match: number, isWanted: () => boolean): Promise<Finished | { refusal: Refusal }> {
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

  /** The table after each move. The match is over, so nothing of it is secret any more: everyone sees what a viewer from outside sees. */
  async *#text(terms: ArenaTerms, { seed }: Started, { ended, at, moves }: Finished): AsyncGenerator<string> {
    const game = terms.game === null ? undefined : gameNamed(terms.game);
    const play = game && new Match(game, { seed, options: terms.options, moves: [] });
    const replay: Replay = {
      match: matchResultView(terms.labels, ended, at),
      game: arenaGameView(terms.game),
      start: (play?.sight(undefined) as Sight | undefined) ?? null,
      moves: [],
    };
    const { body } = success(200, "The match, from its first move to its last.", replay);
    const whole = JSON.stringify(body);
    yield whole.slice(0, -afterMoves.length);
    for (let done = 0; play && done < moves.length; done += movesPerSlice) {
      const steps = await this.#slices.run(() =>
        moves.slice(done, done + movesPerSlice).map(({ seat, move, at }) => {
          play.play(seat, move);
          return { label: terms.labels[seat], move, at: iso(at), sight: play.sight(undefined) };
        }),
      );
      yield (done === 0 ? "" : ",") + JSON.stringify(steps).slice(1, -1);
    }
    yield afterMoves;
  }

  /** `end` is where the match that began with this version ended, as far as is known. */
  async #look(id: string, match?: number) {
    const found = await this.#streams.read(id, (room, version) => {
      if (!room) return { refusal: arenaNotFound };
      const { terms, ends, last } = room;
      const end = match === undefined ? undefined : ends.after(match);
      return { terms, version, running: room.match?.id, lastEnded: last?.version ?? null, end };
    });
    return "refusal" in found ? found : found.value;
  }
}

/** What follows the moves in the answer: they are its last field. */
const afterMoves = "]}}";

/** A match that is over. */
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
