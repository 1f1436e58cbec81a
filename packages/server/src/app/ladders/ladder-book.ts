import {
  type CountOrder,
  type Ladder,
  ladderMatchNotFound,
  ladderNotFound,
  type MatchNumber,
  type MatchStatus,
  type PersonId,
  type PlayerNumber,
  playerCalled,
  playerNotFound,
  type Standing,
  type StandingsCursor,
  samePlayer,
  standingOf,
  standingsAfter,
} from "@openseat/kernel";
import type {
  HeadToHead,
  LadderMatchList,
  LadderMatchOnly,
  LadderPlayerOnly,
  PlayersFound,
  RatingHistory,
  Standings,
} from "@openseat/protocol";
import type { LadderStore, MatchQuery, StoredMatch } from "../../log/ladder-store.ts";
import { matchView, playerView, ratingStepView } from "../../views/ladder-views.ts";
import { invalidInput } from "../invalid-input.ts";
import { type Page, pageOf, unknownCursor } from "../paging.ts";
import { type AsyncResult, mapped, type Result, refused } from "../result.ts";
import { readRoom } from "../rooms/rooms.ts";
import type { LadderStreams } from "./ladders.ts";

/** Rows per read. Larger reads would delay other requests. */
const pageItems = 500;
/** Reads per request. After that, the answer ends with a cursor. */
const pagesMax = 100;

export interface MatchesWanted {
  readonly player?: string | undefined;
  readonly opponent?: string | undefined;
  readonly status?: MatchStatus | undefined;
  /** The newest first by default, and always of one player or pending ones. */
  readonly order?: "newest" | "oldest";
  /** The cursor of the page before. */
  readonly beyond?: number | undefined;
  readonly limit: number;
}

/**
 * Reads of ladders. Standings and players come from the state, matches and histories from rows. LD11: cursors stay valid while
 * matches are counted.
 */
export class LadderBook {
  readonly #streams: LadderStreams;
  readonly #records: LadderStore;

  constructor(streams: LadderStreams, records: LadderStore) {
    this.#streams = streams;
    this.#records = records;
  }

  async standings(
    id: string,
    { cursor, from, limit }: { cursor?: string | undefined; from?: number | undefined; limit: number },
  ): AsyncResult<Standings> {
    const after = cursor === undefined ? undefined : cursorFrom(cursor);
    if (after === "unknown") return refused(unknownCursor);
    return this.#read(id, (ladder) => {
      const skipped = from === undefined || from <= 1 ? undefined : cursorAt(ladder, from - 1);
      const page = standingsAfter(ladder, after ?? skipped, limit + 1);
      const { items, nextCursor } = pageOf(page, limit, cursorOf);
      return { value: { players: items.map((standing) => playerView(ladder, standing)), nextCursor } };
    });
  }

  player(id: string, person: string): AsyncResult<LadderPlayerOnly> {
    return this.#read(id, (ladder) =>
      mapped(numbersOf(ladder, [person]), ([number]) => ({
        player: playerView(ladder, standingOf(ladder, number)),
      })),
    );
  }

  async search(id: string, start: string, limit: number): AsyncResult<PlayersFound> {
    const numbers = await this.#records.playersNamed(streamOf(id), start, limit);
    return this.#read(id, (ladder) => {
      const players = numbers.map((number) => playerView(ladder, standingOf(ladder, number)));
      return { value: { players } };
    });
  }

  /** The rating history of a player, newest first. */
  async history(
    id: string,
    person: string,
    from: number | undefined,
    limit: number,
  ): AsyncResult<RatingHistory> {
    const played = await this.#played(id, [person], from, limit);
    if ("refusal" in played) return played;
    const { items, player, nextCursor } = played.value;
    const sideOf = ({ players }: StoredMatch) => (players[0] === player ? 0 : 1);
    return this.#read(id, (ladder) => {
      const history = items.map((record) => ratingStepView(ladder, record, sideOf(record)));
      return { value: { history, nextCursor } };
    });
  }

  async matches(id: string, wanted: MatchesWanted): AsyncResult<LadderMatchList> {
    const { player, opponent, status, order = "newest", beyond, limit } = wanted;
    if (opponent !== undefined && player === undefined)
      return refused(invalidInput("query", "player", "is required with opponent"));
    // From the state, which holds the pending matches of each player. There are only a few.
    if (status === "pending") return this.#pending(id, wanted);
    if (status !== undefined && player !== undefined)
      return refused(invalidInput("query", "status", "of one player can only be pending"));
    if (player !== undefined) {
      const persons = opponent === undefined ? [player] : [player, opponent];
      const played = await this.#played(id, persons, beyond, limit);
      return "refusal" in played ? played : this.#shown(id, played.value);
    }
    const records = await this.#records.matches({
      ...{ stream: streamOf(id), order, limit: limit + 1 },
      ...(status !== undefined && { status }),
      ...(beyond !== undefined && { beyond }),
    });
    const page = pageOf(records, limit, ({ number }) => number);
    return this.#shown(id, page);
  }

  async match(id: string, number: MatchNumber): AsyncResult<LadderMatchOnly> {
    const record = await this.#record(id, number);
    return this.#read(id, (ladder) =>
      record ? { value: { match: matchView(ladder, record) } } : refused(ladderMatchNotFound),
    );
  }

  async against(id: string, person: string, other: string): AsyncResult<HeadToHead> {
    const all = await this.#played(id, [person, other], undefined, Number.POSITIVE_INFINITY);
    if ("refusal" in all) return all;
    const { items, player, opponent, nextCursor } = all.value;
    const record = { ...headToHead(player, items), isComplete: nextCursor === null };
    return this.#read(id, ({ players }) => {
      const side = (number: PlayerNumber) => ({
        userId: players.personOf(number),
        name: players.nameOf(number),
        rating: players.ratingOf(number),
      });
      return { value: { player: side(player), opponent: side(opponent!), ...record } };
    });
  }

  #shown(id: string, { items, nextCursor }: Page<StoredMatch>): AsyncResult<LadderMatchList> {
    return this.#read(id, (ladder) => ({
      value: { matches: items.map((record) => matchView(ladder, record)), nextCursor },
    }));
  }

  /** The matches of a player, against one opponent or all, backwards from `from`; from the latest by default. */
  async #played(id: string, persons: readonly string[], from: number | undefined, limit: number) {
    if (persons[0] === persons[1]) return refused(samePlayer(persons[0]));
    const found = await this.#read(id, (ladder) =>
      mapped(numbersOf(ladder, persons), ([player, opponent]) => {
        return { player, opponent, latest: ladder.players.lastOrderOf(player) };
      }),
    );
    if ("refusal" in found) return found;
    const { player, opponent, latest } = found.value;
    let next = (from as CountOrder | undefined) ?? latest;
    const items: StoredMatch[] = [];
    // Bounded, because a search for a few matches against one opponent could read a whole long history.
    for (let page = 0; next !== null && items.length < limit && page < pagesMax; page++) {
      const played = await this.#records.played({
        ...{ stream: streamOf(id), player, from: next },
        ...(opponent !== undefined && { opponent }),
        limit: Math.min(limit - items.length, pageItems),
      });
      items.push(...played.matches);
      next = played.next;
    }
    return { value: { items, player, opponent, nextCursor: next === null ? null : String(next) } };
  }

  async #pending(
    id: string,
    { player, opponent, beyond, limit }: MatchesWanted,
  ): AsyncResult<LadderMatchList> {
    const persons = [player, opponent].filter((person) => person !== undefined);
    const found = await this.#read(id, (ladder) =>
      mapped(numbersOf(ladder, persons), (numbers) =>
        [...ladder.pending]
          .filter(([match]) => beyond === undefined || match < beyond)
          .filter(([, { players }]) => numbers.every((number) => players.includes(number)))
          .map(([match]) => match)
          .sort((a, b) => b - a),
      ),
    );
    if ("refusal" in found) return found;
    const { items, nextCursor } = pageOf(found.value, limit, (match) => match);
    const records = await Promise.all(items.map((match) => this.#record(id, match)));
    return this.#shown(id, { items: records.filter((record) => record !== undefined), nextCursor });
  }

  async #record(id: string, number: MatchNumber): Promise<StoredMatch | undefined> {
    const query: MatchQuery = { stream: streamOf(id), order: "newest", beyond: number + 1, limit: 1 };
    const [record] = await this.#records.matches(query);
    return record?.number === number ? record : undefined;
  }

  #read<Value>(id: string, select: (ladder: Ladder) => Result<Value>): AsyncResult<Value> {
    return readRoom(this.#streams, id, ladderNotFound, select);
  }
}

function streamOf(id: string): MatchQuery["stream"] {
  return `ladder/${id}`;
}

/** The numbers of these persons; refused when one of them is not a player. */
function numbersOf(ladder: Ladder, persons: readonly string[]): Result<PlayerNumber[]> {
  const numbers: PlayerNumber[] = [];
  for (const person of persons) {
    const number = playerCalled(ladder, person as PersonId);
    if (number === undefined) return refused(playerNotFound(person));
    numbers.push(number);
  }
  return { value: numbers };
}

/** Matches that count, from the player's side. */
function headToHead(player: PlayerNumber, matches: readonly StoredMatch[]) {
  const record = { wins: 0, draws: 0, losses: 0, points: 0, opponentPoints: 0 };
  for (const { status, players, scores } of matches) {
    if (status !== "counted") continue;
    const [own, other] = players[0] === player ? scores : [scores[1], scores[0]];
    if (own > other) record.wins++;
    else if (own < other) record.losses++;
    else record.draws++;
    record.points += own;
    record.opponentPoints += other;
  }
  return record;
}

/** With rating and number in the cursor, a player whose place does not change appears on exactly one page. */
function cursorOf({ rating, number }: Standing): string {
  return `${rating}_${number}`;
}

function cursorFrom(text: string): StandingsCursor | "unknown" {
  const [rating, player] = text.split("_").map(Number);
  return Number.isFinite(rating) ? { rating, player: player as PlayerNumber } : "unknown";
}

/** The player in this place, or the last one; undefined when there are no players. */
function cursorAt({ standings, players }: Ladder, place: number): StandingsCursor | undefined {
  const player = standings.at(Math.min(place, players.present));
  return player && { rating: players.ratingOf(player), player };
}
