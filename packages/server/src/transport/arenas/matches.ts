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
import { arenaGameView, matchResultView } from "../../feed/arena-views.ts";
import { iso } from "../../feed/times.ts";
import type { Entry } from "../../host/mailbox.ts";
import { type Answer, failure, success } from "../envelope.ts";
import { unknownCursor } from "../validation.ts";
import type { ArenaStreams } from "./arenas.ts";

const matchNotFound: Refusal = { code: "match.not-found", message: "There is no such match in this arena." };
const matchRunning: Refusal = {
  code: "match.running",
  message: "This match is not over yet. It can be replayed when it is.",
};

/** Entries from the beginning of a match to its end, whatever else happened in the arena meanwhile. */
const replayEntriesMax = 250_000;

const tooMuchHappened: Refusal = {
  code: "match.too-long",
  message:
    "So much happened in the arena during this match that it is not replayed here. The log has all of it.",
};

/** The matches of arenas that are over. Nothing of them is kept in memory: the log has them all (MT4). */
export class Matches {
  readonly #streams: ArenaStreams;
  readonly #entriesMax: number;

  constructor(streams: ArenaStreams, entriesMax = replayEntriesMax) {
    this.#streams = streams;
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

  async replay(id: string, match: number): Promise<Answer> {
    const found = await this.#look(id);
    if ("refusal" in found) return failure(found.refusal);
    const { terms, version, running } = found;
    if (match < 1 || match > version) return failure(matchNotFound);
    if (match === running) return failure(matchRunning);
    const first: Entry<ArenaEvent> = await this.#streams.entry(id, match);
    const started = first.events.find((event) => event.type === "started");
    if (!started) return failure(matchNotFound);
    const moves: TimedMove[] = [];
    for await (const entry of this.#streams.entriesAfter(id, match)) {
      // A crowd may come and go without end while two think: reading all of it again is not for anyone to ask.
      if (entry.version > match + this.#entriesMax) return failure(tooMuchHappened);
      for (const event of entry.events)
        if (event.type === "moved") moves.push({ seat: event.seat, move: event.move, at: entry.at });
      const ended = endIn(entry);
      if (!ended) continue;
      const result = matchResultView(terms.labels, ended, entry.at);
      return success(
        200,
        "The match, from its first move to its last.",
        replayed(terms, started, moves, result),
      );
    }
    return failure(matchRunning);
  }

  async #look(id: string) {
    const found = await this.#streams.read(id, (room, version) =>
      room
        ? { terms: room.terms, version, running: room.match?.id, lastEnded: room.last?.version ?? null }
        : { refusal: arenaNotFound },
    );
    return "refusal" in found ? found : found.value;
  }
}

interface TimedMove {
  readonly seat: number;
  readonly move: string;
  readonly at: number;
}

function endIn({ events }: Entry<ArenaEvent>): Ended | undefined {
  return events.find((event) => event.type === "ended");
}

/** The table after each move. The match is over, so nothing of it is secret any more: everyone sees what a viewer from outside sees. */
function replayed(
  terms: ArenaTerms,
  { seed }: Started,
  moves: readonly TimedMove[],
  match: MatchResult,
): Replay {
  const game = terms.game === null ? undefined : gameNamed(terms.game);
  if (!game) return { match, game: null, start: null, moves: [] };
  const play = new Match(game, { seed, options: terms.options, moves: [] });
  const start = play.sight(undefined) as Sight;
  const steps = moves.map(({ seat, move, at }) => {
    play.play(seat, move);
    return { label: terms.labels[seat], move, at: iso(at), sight: play.sight(undefined) as Sight };
  });
  return { match, game: arenaGameView(terms.game), start, moves: steps };
}
