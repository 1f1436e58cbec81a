import type { Recorded } from "../decider.ts";
import { asWord, type Millis, type PersonId } from "../values.ts";
import type { Counted, LadderEvent, Recount } from "./events.ts";
import type { MatchStatus } from "./matches/match-statuses.ts";
import type { CountOrder, Ladder, MatchNumber, PlayerNumber, Reporter } from "./state.ts";

/** A player who joined, left or came back. Replaces the row with the same number. */
export type PlayerRow = readonly [
  number: PlayerNumber,
  person: PersonId,
  name: string,
  enrolledAt: Millis,
  leftAt: Millis | null,
];

/** A player's present values. */
export type StandingRow = readonly [
  number: PlayerNumber,
  rating: number,
  deviation: number | null,
  volatility: number | null,
  wins: number,
  draws: number,
  losses: number,
  version: number,
];

/** A match that is new or has come to count. */
export type MatchRow = readonly [
  number: MatchNumber,
  /** LD1: the idempotency key, which the log makes unique; null for a report without one. */
  key: string | null,
  /** The order in which it came to count; null while it does not count. */
  turn: CountOrder | null,
  status: MatchStatus,
  first: PlayerNumber,
  second: PlayerNumber,
  firstScore: number,
  secondScore: number,
  reporter: Reporter,
  reportedAt: Millis,
  playedAt: Millis | null,
  changedAt: Millis,
];

export type StatusRow = readonly [number: MatchNumber, status: MatchStatus, changedAt: Millis];

/** One player's side of a match. Each match that counts has two. */
export type RatingRow = readonly [
  turn: CountOrder,
  player: PlayerNumber,
  match: MatchNumber,
  /** The count order of the player's previous match. */
  previous: CountOrder | null,
  opponent: PlayerNumber,
  before: number,
  after: number,
  deviation: number | null,
  volatility: number | null,
];

/** New values for a match after an earlier one was voided. */
export type RecountRow = readonly [
  turn: CountOrder,
  player: PlayerNumber,
  before: number,
  after: number,
  deviation: number | null,
  volatility: number | null,
];

/** The rows that entries add and change, for questions that are answered by query. */
export type LadderRows = {
  readonly players: readonly PlayerRow[];
  readonly standings: readonly StandingRow[];
  readonly matches: readonly MatchRow[];
  readonly statuses: readonly StatusRow[];
  readonly ratings: readonly RatingRow[];
  readonly recounts: readonly RecountRow[];
};

/** `ladder` is the state after the entries. */
export function rowsOf(ladder: Ladder, entries: readonly Recorded<LadderEvent>[]): LadderRows {
  const moved = new Set<PlayerNumber>();
  const rated = new Set<PlayerNumber>();
  const rows = {
    matches: [] as MatchRow[],
    statuses: [] as StatusRow[],
    ratings: [] as RatingRow[],
    recounts: [] as RecountRow[],
  };
  const rate = (players: readonly PlayerNumber[]) => {
    for (const player of players) rated.add(player);
  };
  for (const entry of entries) {
    const { at } = entry;
    for (const event of entry.events) {
      switch (event.type) {
        case "enrolled":
          rated.add(event.player);
          moved.add(event.player);
          break;
        case "returned":
        case "left":
        case "renamed":
          moved.add(event.player);
          break;
        case "reported":
          rows.matches.push(matchRow(entry, event, "pending"));
          break;
        case "counted":
          rows.matches.push(matchRow(entry, event, "counted"));
          rows.ratings.push(ratingRow(event, 0), ratingRow(event, 1));
          rate(event.players);
          break;
        case "declined":
        case "lapsed":
        case "voided":
          rows.statuses.push([event.match, event.type, at]);
          if (event.type === "voided" && event.recount) {
            rate(event.players);
            rate(event.recount.players);
            for (const row of recountRows(event.recount)) rows.recounts.push(row);
          }
      }
    }
  }
  return {
    players: Array.from(moved, (player) => playerRow(ladder, player)),
    standings: Array.from(rated, (player) => standingRow(ladder, player)),
    ...rows,
  };
}

function playerRow({ players }: Ladder, number: PlayerNumber): PlayerRow {
  const { person, name, enrolledAt, leftAt = null } = players.get(number);
  return [number, person, name, enrolledAt, leftAt];
}

function standingRow({ players, terms }: Ladder, number: PlayerNumber): StandingRow {
  const { rating, deviation, volatility, wins, draws, losses, version } = players.get(number);
  const more = terms.rating.system === "glicko2" ? ([deviation, volatility] as const) : noMore;
  return [number, rating, ...more, wins, draws, losses, version];
}

/** Elo has only a rating. */
const noMore = [null, null] as const;

type Played = Pick<Counted, "match" | "players" | "scores" | "reporter" | "playedAt" | "origin"> & {
  readonly turn?: CountOrder;
};

function matchRow({ at, by, key }: Recorded<unknown>, played: Played, status: MatchStatus): MatchRow {
  const { match, turn = null, players, scores, reporter, playedAt = null, origin } = played;
  const own = key === undefined ? null : `${asWord(by)} ${key}`;
  return [match, origin ?? own, turn, status, ...players, ...scores, reporter, at, playedAt, at];
}

function ratingRow(
  { match, turn, previous, players, before, change, deviation, volatility }: Counted,
  which: 0 | 1,
): RatingRow {
  return [
    turn,
    players[which],
    match,
    previous[which],
    players[1 - which],
    before[which],
    before[which] + change[which],
    deviation?.[which] ?? null,
    volatility?.[which] ?? null,
  ];
}

function recountRows({ turns, players, before, change, deviation, volatility }: Recount): RecountRow[] {
  return players.map((player, at) => [
    turns[at >>> 1],
    player,
    before[at],
    before[at] + change[at],
    deviation?.[at] ?? null,
    volatility?.[at] ?? null,
  ]);
}
