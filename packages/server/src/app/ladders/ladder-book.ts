import {
  type Ladder,
  ladderMatchNotFound,
  ladderNotFound,
  type MatchNumber,
  type MatchStatus,
  type PersonId,
  type PlayerNumber,
  playerCalled,
  playerNotFound,
  type Refusal,
  type Standing,
  type StandingsCursor,
  samePlayer,
  standingOf,
  standingsAfter,
  type Turn,
} from "@openseat/kernel";
import type { LadderMatch, RatingStep } from "@openseat/protocol";
import type { LadderRecords, MatchQuery, MatchRecord } from "../../host/streams.ts";
import { type Answer, failure, success } from "../../transport/http/envelope.ts";
import { matchView, playerView, ratingStepView } from "../../views/ladder-views.ts";
import { invalidInput, unknownCursor } from "../invalid-input.ts";
import type { LadderStreams } from "./ladders.ts";

/** Asked for at once: more would hold up others behind them. */
const pageItems = 500;
/** Pages that are read for one question; then the answer says where to go on. */
const pagesMax = 100;

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Which matches are asked for, in the words of the wire. */
export interface MatchesWanted {
  readonly player?: string | undefined;
  readonly opponent?: string | undefined;
  readonly status?: MatchStatus | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

type Found<Value> = { readonly value: Value } | { readonly refusal: Refusal };

/**
 * What one can look up on a ladder and changes nothing: standings and players come from the state, matches and histories
 * from rows. All of it is paged by keys that stay (LD11): whoever turns the page while matches are counted misses nothing
 * and is told nothing twice that has stayed where it was.
 */
export class LadderBook {
  readonly #streams: LadderStreams;
  readonly #records: LadderRecords;

  constructor(streams: LadderStreams, records: LadderRecords) {
    this.#streams = streams;
    this.#records = records;
  }

  async standings(
    id: string,
    { cursor, from, limit }: { cursor?: string | undefined; from?: number | undefined; limit: number },
  ): Promise<Answer> {
    const after = cursor === undefined ? undefined : cursorFrom(cursor);
    if (after === "unknown") return failure(unknownCursor);
    return this.#look(id, (ladder) => {
      const skipped = from === undefined || from <= 1 ? undefined : cursorAt(ladder, from - 1);
      const page = standingsAfter(ladder, after ?? skipped, limit + 1);
      const { items, nextCursor } = pageOf(page, limit, cursorOf);
      const players = items.map((standing) => playerView(ladder, standing));
      return success(200, "By rating, the best first.", { players, nextCursor });
    });
  }

  player(id: string, person: string): Promise<Answer> {
    return this.#look(id, (ladder) => {
      const number = playerCalled(ladder, person as PersonId);
      if (number === undefined) return failure(playerNotFound(person));
      return success(200, "The player.", { player: playerView(ladder, standingOf(ladder, number)) });
    });
  }

  async search(id: string, start: string, limit: number): Promise<Answer> {
    const numbers = await this.#records.playersNamed(`ladder/${id}`, start, limit);
    return this.#look(id, (ladder) => {
      const players = numbers.map((number) => playerView(ladder, standingOf(ladder, number)));
      return success(200, "Players whose name begins so.", { players });
    });
  }

  async history(id: string, person: string, from: number | undefined, limit: number): Promise<Answer> {
    const found = await this.historyPage(id, person, from, limit);
    if ("refusal" in found) return failure(found.refusal);
    const { items, nextCursor } = found.value;
    return success(200, "How the rating went, the newest first.", { history: items, nextCursor });
  }

  async matches(id: string, wanted: MatchesWanted): Promise<Answer> {
    const { player, opponent, status, before, limit } = wanted;
    if (opponent !== undefined && player === undefined)
      return failure(invalidInput("query", "player", "is missing: an opponent is somebody's"));
    // Only in the state are they all of one player, and there are never many.
    if (status === "pending") return this.#pending(id, wanted);
    if (status !== undefined && player !== undefined)
      return failure(invalidInput("query", "status", "of one player can only be pending"));
    const found =
      player === undefined
        ? await this.matchPage(id, { order: "newest", status, beyond: before, limit })
        : await this.#matchesOf(id, [player, opponent], before, limit);
    if ("refusal" in found) return failure(found.refusal);
    const { items, nextCursor } = found.value;
    return success(200, "Matches, the newest first.", { matches: items, nextCursor });
  }

  async match(id: string, number: MatchNumber): Promise<Answer> {
    const query: MatchQuery = { stream: `ladder/${id}`, order: "newest", beyond: number + 1, limit: 1 };
    const [record] = await this.#records.matches(query);
    return this.#look(id, (ladder) =>
      record?.number === number
        ? success(200, "The match.", { match: matchView(ladder, record) })
        : failure(ladderMatchNotFound),
    );
  }

  async against(id: string, person: string, other: string): Promise<Answer> {
    const all = await this.#played(id, [person, other], undefined, Number.POSITIVE_INFINITY);
    if ("refusal" in all) return failure(all.refusal);
    const { matches, player, opponent, nextCursor } = all.value;
    const record = { ...headToHead(player, matches), isComplete: nextCursor === null };
    return this.#look(id, ({ players }) => {
      const side = (number: PlayerNumber) => ({
        userId: players.personOf(number),
        name: players.nameOf(number),
        rating: players.ratingOf(number),
      });
      const data = { player: side(player), opponent: side(opponent!), ...record };
      return success(200, "How they did against each other.", data);
    });
  }

  /** A page of all matches, for those who look and for those who take them all. */
  async matchPage(
    id: string,
    { status, beyond, order, limit }: PageWanted,
  ): Promise<Found<PageOf<LadderMatch>>> {
    const records = await this.#records.matches({
      ...{ stream: `ladder/${id}`, order, limit: limit + 1 },
      ...(status !== undefined && { status }),
      ...(beyond !== undefined && { beyond }),
    });
    return this.#find(id, (ladder) => {
      const page = pageOf(records, limit, ({ number }) => String(number));
      return { ...page, items: page.items.map((record) => matchView(ladder, record)) };
    });
  }

  async #matchesOf(
    id: string,
    persons: readonly [string, string | undefined],
    from: number | undefined,
    limit: number,
  ): Promise<Found<PageOf<LadderMatch>>> {
    const played = await this.#played(id, persons, from, limit);
    if ("refusal" in played) return played;
    const { matches, nextCursor } = played.value;
    return this.#find(id, (ladder) => ({
      items: matches.map((record) => matchView(ladder, record)),
      nextCursor,
    }));
  }

  /** A page of the history of a player, the newest first. */
  async historyPage(
    id: string,
    person: string,
    from: number | undefined,
    limit: number,
  ): Promise<Found<PageOf<RatingStep>>> {
    const played = await this.#played(id, [person, undefined], from, limit);
    if ("refusal" in played) return played;
    const { matches, player, nextCursor } = played.value;
    const sideOf = ({ players }: MatchRecord) => (players[0] === player ? 0 : 1);
    return this.#find(id, (ladder) => ({
      items: matches.map((record) => ratingStepView(ladder, record, sideOf(record))),
      nextCursor,
    }));
  }

  /** What a player has played, against one opponent or all: from the turn given, else from the latest. */
  async #played(
    id: string,
    [person, other]: readonly [string, string | undefined],
    from: number | undefined,
    limit: number,
  ): Promise<Found<PlayedPage>> {
    if (person === other) return { refusal: samePlayer(person) };
    const numbers = await this.#numbers(id, other === undefined ? [person] : [person, other]);
    if ("refusal" in numbers) return numbers;
    const [player, opponent] = numbers.value;
    const latest = await this.#find(id, ({ players }) => players.lastTurnOf(player));
    if ("refusal" in latest) return latest;
    let next = (from as Turn | undefined) ?? latest.value;
    const matches: MatchRecord[] = [];
    // Of one opponent there may be few: nobody waits until all of a long history has been gone through.
    for (let page = 0; next !== null && matches.length < limit && page < pagesMax; page++) {
      const played = await this.#records.played({
        ...{ stream: `ladder/${id}`, player, from: next },
        ...(opponent !== undefined && { opponent }),
        limit: Math.min(limit - matches.length, pageItems),
      });
      matches.push(...played.matches);
      next = played.next;
    }
    return { value: { matches, player, opponent, nextCursor: next === null ? null : String(next) } };
  }

  /** A page of the standings, as they are just then. */
  standingsPage(
    id: string,
    cursor: StandingsCursor | undefined,
    limit: number,
  ): Promise<
    Found<{ readonly players: ReturnType<typeof playerView>[]; readonly last: StandingsCursor | undefined }>
  > {
    return this.#find(id, (ladder) => {
      const page = standingsAfter(ladder, cursor, limit);
      const last = page.at(-1);
      return {
        players: page.map((standing) => playerView(ladder, standing)),
        last: last && { rating: last.rating, player: last.number },
      };
    });
  }

  async #pending(id: string, { player, opponent, before, limit }: MatchesWanted): Promise<Answer> {
    const persons = [player, opponent].filter((person) => person !== undefined);
    const numbers = await this.#numbers(id, persons);
    if ("refusal" in numbers) return failure(numbers.refusal);
    const wanted = await this.#find(id, ({ pending }) =>
      [...pending]
        .filter(([match]) => before === undefined || match < before)
        .filter(([, { players }]) => numbers.value.every((number) => players.includes(number)))
        .map(([match]) => match)
        .sort((a, b) => b - a)
        .slice(0, limit + 1),
    );
    if ("refusal" in wanted) return failure(wanted.refusal);
    const { items, nextCursor } = pageOf(wanted.value, limit, String);
    const stream = `ladder/${id}` as const;
    const records = await Promise.all(
      items.map((match) => this.#records.matches({ stream, order: "newest", beyond: match + 1, limit: 1 })),
    );
    return this.#look(id, (ladder) => {
      const matches = records.flat().map((record) => matchView(ladder, record));
      return success(200, "Matches that wait to be confirmed, the newest first.", { matches, nextCursor });
    });
  }

  async #numbers(id: string, persons: readonly string[]): Promise<Found<PlayerNumber[]>> {
    const found = await this.#find(id, (ladder) =>
      persons.map((person) => playerCalled(ladder, person as PersonId)),
    );
    if ("refusal" in found) return found;
    const unknown = found.value.indexOf(undefined);
    return unknown < 0
      ? { value: found.value as PlayerNumber[] }
      : { refusal: playerNotFound(persons[unknown]) };
  }

  async #look(id: string, look: (ladder: Ladder) => Answer): Promise<Answer> {
    const found = await this.#find(id, look);
    return "refusal" in found ? failure(found.refusal) : found.value;
  }

  async #find<Value>(id: string, look: (ladder: Ladder) => Value): Promise<Found<Value>> {
    const found = await this.#streams.read(id, (ladder) => (ladder ? { value: look(ladder) } : undefined));
    if ("refusal" in found) return found;
    return found.value ?? { refusal: ladderNotFound };
  }
}

/** What a player has played, as far as it was gone through. */
interface PlayedPage {
  readonly matches: readonly MatchRecord[];
  readonly player: PlayerNumber;
  /** Undefined for all of them. */
  readonly opponent: PlayerNumber | undefined;
  readonly nextCursor: string | null;
}

interface PageWanted {
  readonly order: "newest" | "oldest";
  readonly status?: MatchStatus | undefined;
  readonly beyond?: number | undefined;
  readonly limit: number;
}

/** From the side of the player, in matches that count. */
function headToHead(player: PlayerNumber, matches: readonly MatchRecord[]) {
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

/** One more than the page holds was asked for: it tells whether there is another. */
function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursorOfItem: (item: Item) => string,
): PageOf<Item> {
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? cursorOfItem(items[items.length - 1]) : null };
}

/** Rating and number: whoever stays where they are is found on one page, whatever the others do meanwhile. */
function cursorOf({ rating, number }: Standing): string {
  return `${rating}_${number}`;
}

function cursorFrom(text: string): StandingsCursor | "unknown" {
  const [rating, player] = text.split("_").map(Number);
  return Number.isFinite(rating) ? { rating, player: player as PlayerNumber } : "unknown";
}

/** Whoever is so far from the top, or the last of all; undefined when there is nobody. */
function cursorAt({ standings, players }: Ladder, place: number): StandingsCursor | undefined {
  const player = standings.at(Math.min(place, players.present));
  return player && { rating: players.ratingOf(player), player };
}
