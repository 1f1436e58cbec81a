import type { MatchNumber, MatchStatus } from "@openseat/kernel";
import {
  type HeadToHead,
  Id,
  type LadderMatchList,
  type LadderMatchOnly,
  LadderMatchQuery,
  type LadderPlayerOnly,
  PlayerSearch,
  type PlayersFound,
  type RatingHistory,
  RatingHistoryQuery,
  type Standings,
  StandingsQuery,
  UserId,
} from "@openseat/protocol";
import Type from "typebox";
import { pageOf } from "../../transport/http/schemas.ts";
import type { Answered, Calls, PageQuery } from "./calls.ts";

/** The number of a match on a ladder, as text. */
export const ladderMatch = Type.String({ pattern: "^[1-9][0-9]{0,9}$" });

export interface LadderMatchesQuery extends PageQuery {
  readonly player?: string | undefined;
  readonly opponent?: string | undefined;
  readonly status?: MatchStatus | undefined;
}

export interface StandingsPage extends PageQuery {
  /** Start at this place, counted from 1. */
  readonly from?: number | undefined;
}

/** Reads of ladders. */
export class LadderBookApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Best rating first. */
  standings(id: string, query?: StandingsPage): Answered<Standings> {
    return this.#calls.page(taken(id), [StandingsQuery, query], ({ ladders }, page) =>
      ladders.book.standings(id, page),
    );
  }

  player(id: string, player: string): Answered<LadderPlayerOnly> {
    return this.#calls.read(taken(id, player), ({ ladders }) => ladders.book.player(id, player));
  }

  /** Players whose name begins with `search`. */
  search(id: string, search: string, limit = 10): Answered<PlayersFound> {
    return this.#calls.page(taken(id), [PlayerSearch, { search, limit }], ({ ladders }, given) =>
      ladders.book.search(id, given.search, given.limit),
    );
  }

  /** Newest first. */
  history(id: string, player: string, query?: PageQuery): Answered<RatingHistory> {
    return this.#calls.page(taken(id, player), [RatingHistoryQuery, query], ({ ladders }, page) => {
      const { cursor, limit } = pageOf(page);
      return ladders.book.history(id, player, cursor, limit);
    });
  }

  /** Newest first. */
  matches(id: string, query?: LadderMatchesQuery): Answered<LadderMatchList> {
    return this.#calls.page(taken(id), [LadderMatchQuery, query], ({ ladders }, given) => {
      const { player, opponent, status, ...page } = given;
      const { cursor: beyond, limit } = pageOf(page);
      return ladders.book.matches(id, { player, opponent, status, beyond, limit });
    });
  }

  match(id: string, match: string): Answered<LadderMatchOnly> {
    const takes = [...taken(id), [ladderMatch, match, "match"] as const];
    return this.#calls.read(takes, ({ ladders }) => ladders.book.match(id, Number(match) as MatchNumber));
  }

  /** All matches of two players. */
  against(id: string, player: string, opponent: string): Answered<HeadToHead> {
    return this.#calls.read(taken(id, player, opponent), ({ ladders }) =>
      ladders.book.against(id, player, opponent),
    );
  }
}

function taken(id: string, ...players: readonly string[]) {
  return [[Id, id, "id"] as const, ...players.map((player) => [UserId, player, "player"] as const)];
}
