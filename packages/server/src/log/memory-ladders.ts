import type { LadderRows, MatchNumber, MatchRow, PlayerNumber, RatingRow, Turn } from "@openseat/kernel";
import type { HeadToHeadRecord, MatchQuery, MatchRecord, RatingChange } from "./ladder-records.ts";

interface Table {
  readonly players: Map<PlayerNumber, { readonly name: string; readonly isGone: boolean }>;
  readonly matches: Map<MatchNumber, Omit<MatchRecord, "changes">>;
  /** By turn, and in it by player. */
  readonly ratings: Map<Turn, Map<PlayerNumber, RatingChange>>;
}

/** The rows of ladders, for as long as the process lasts. What a player has is asked of the state, so it is not kept here. */
export class MemoryLadders {
  readonly #tables = new Map<string, Table>();

  write(stream: string, { players, matches, statuses, ratings, recounts }: LadderRows): void {
    const table = this.#table(stream);
    for (const [number, , name, , leftAt] of players)
      table.players.set(number, { name, isGone: leftAt !== null });
    for (const row of matches) {
      const { number, turn, status, changedAt, ...rest } = matchOf(row);
      table.matches.set(number, { ...rest, ...table.matches.get(number), number, turn, status, changedAt });
    }
    for (const [number, status, changedAt] of statuses)
      table.matches.set(number, { ...table.matches.get(number)!, status, changedAt });
    for (const row of ratings) {
      const [player, turn] = row;
      const sides = table.ratings.get(turn) ?? new Map<PlayerNumber, RatingChange>();
      table.ratings.set(turn, sides.set(player, changeOf(row)));
    }
    for (const [player, turn, before, after, deviation] of recounts) {
      const sides = table.ratings.get(turn)!;
      const then = sides.get(player)!;
      const firstChange = then.firstChange ?? then.after - then.before;
      sides.set(player, { before, after, deviation, firstChange });
    }
  }

  matches({ stream, player, pair, status, order, beyond, limit }: MatchQuery): MatchRecord[] {
    const { matches, ratings } = this.#table(stream);
    const isNewest = order === "newest";
    const placeOf = (match: Omit<MatchRecord, "changes">) =>
      player === undefined ? match.number : match.turn!;
    const wanted = [...matches.values()].filter((match) => {
      if (pair) return pair.every((one) => match.players.includes(one));
      if (player !== undefined) return match.turn !== null && match.players.includes(player);
      return status === undefined || match.status === status;
    });
    const found = wanted.filter((match) => {
      if (beyond === undefined) return true;
      return isNewest ? placeOf(match) < beyond : placeOf(match) > beyond;
    });
    found.sort((a, b) => (isNewest ? placeOf(b) - placeOf(a) : placeOf(a) - placeOf(b)));
    return found.slice(0, limit).map((match) => {
      const [first, second] = match.players;
      const sides = match.turn === null ? undefined : ratings.get(match.turn);
      return { ...match, changes: sides ? [sides.get(first)!, sides.get(second)!] : null };
    });
  }

  headToHead(stream: string, pair: readonly [PlayerNumber, PlayerNumber]): HeadToHeadRecord {
    const record = { wins: 0, draws: 0, losses: 0, points: 0, opponentPoints: 0 };
    for (const { status, players, scores } of this.#table(stream).matches.values()) {
      if (status !== "counted" || !pair.every((one) => players.includes(one))) continue;
      const [own, other] = players[0] === pair[0] ? scores : [scores[1], scores[0]];
      if (own > other) record.wins++;
      else if (own < other) record.losses++;
      else record.draws++;
      record.points += own;
      record.opponentPoints += other;
    }
    return record;
  }

  playersNamed(stream: string, start: string, limit: number): PlayerNumber[] {
    const folded = folding(start);
    const found = [...this.#table(stream).players].filter(
      ([, { name, isGone }]) => !isGone && folding(name).startsWith(folded),
    );
    found.sort(([, a], [, b]) => Buffer.compare(bytesOf(a.name), bytesOf(b.name)));
    return found.slice(0, limit).map(([number]) => number);
  }

  #table(stream: string): Table {
    let table = this.#tables.get(stream);
    if (!table) {
      table = { players: new Map(), matches: new Map(), ratings: new Map() };
      this.#tables.set(stream, table);
    }
    return table;
  }
}

/** As the other stores do: only Latin letters without accents. */
function folding(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What the other stores sort by: by its code units, JavaScript would put some letters elsewhere. */
function bytesOf(name: string): Buffer {
  return Buffer.from(folding(name));
}

function matchOf(row: MatchRow): Omit<MatchRecord, "changes"> {
  const [number, , turn, status, first, second, firstScore, secondScore, ...rest] = row;
  const [reporter, reportedAt, playedAt, changedAt] = rest;
  return {
    ...{ number, turn, status, reporter, reportedAt, playedAt, changedAt },
    players: [first, second],
    scores: [firstScore, secondScore],
  };
}

function changeOf([, , , , before, after, deviation]: RatingRow): RatingChange {
  return { before, after, deviation, firstChange: null };
}
