import type { LadderRows, MatchNumber, MatchRow, PlayerNumber, RatingRow } from "@openseat/kernel";
import type { HeadToHeadRecord, MatchQuery, MatchRecord, RatingChange } from "./ladder-records.ts";

interface Table {
  readonly players: Map<PlayerNumber, { readonly name: string; readonly isGone: boolean }>;
  readonly matches: Map<MatchNumber, MatchRow>;
  /** By match, and in it by player. */
  readonly ratings: Map<MatchNumber, Map<PlayerNumber, RatingChange>>;
}

/** The rows of ladders, for as long as the process lasts. What a player has is asked of the state, so it is not kept here. */
export class MemoryLadders {
  readonly #tables = new Map<string, Table>();

  write(stream: string, { players, matches, statuses, ratings, recounts }: LadderRows): void {
    const table = this.#table(stream);
    for (const [number, , name, , leftAt] of players)
      table.players.set(number, { name, isGone: leftAt !== null });
    for (const row of matches)
      table.matches.set(row[0], withStatus(table.matches.get(row[0]) ?? row, row[2], row[10]));
    for (const [number, status, at] of statuses)
      table.matches.set(number, withStatus(table.matches.get(number)!, status, at));
    for (const row of ratings) {
      const [player, match] = row;
      if (!table.ratings.has(match)) table.ratings.set(match, new Map());
      table.ratings.get(match)!.set(player, changeOf(row));
    }
    for (const [player, match, before, after, deviation] of recounts) {
      const sides = table.ratings.get(match)!;
      const then = sides.get(player)!;
      const firstChange = then.firstChange ?? then.after - then.before;
      sides.set(player, { before, after, deviation, firstChange });
    }
  }

  matches({ stream, player, pair, status, order, beyond, limit }: MatchQuery): MatchRecord[] {
    const table = this.#table(stream);
    const isNewest = order === "newest";
    const wanted = [...table.matches.values()].filter(([number, , itsStatus, first, second]) => {
      if (beyond !== undefined && (isNewest ? number >= beyond : number <= beyond)) return false;
      if (pair) return pair.includes(first) && pair.includes(second);
      if (player !== undefined) return table.ratings.get(number)?.has(player) ?? false;
      return status === undefined || itsStatus === status;
    });
    wanted.sort((a, b) => (isNewest ? b[0] - a[0] : a[0] - b[0]));
    return wanted.slice(0, limit).map((row) => recordOf(row, table.ratings.get(row[0])));
  }

  headToHead(stream: string, [player, opponent]: readonly [PlayerNumber, PlayerNumber]): HeadToHeadRecord {
    const record = { wins: 0, draws: 0, losses: 0, points: 0, opponentPoints: 0 };
    for (const [, , status, first, second, ...rest] of this.#table(stream).matches.values()) {
      const isTheirs = (first === player && second === opponent) || (first === opponent && second === player);
      if (!isTheirs || status !== "counted") continue;
      const [own, other] = first === player ? [rest[0], rest[1]] : [rest[1], rest[0]];
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
    found.sort(([, a], [, b]) => (folding(a.name) < folding(b.name) ? -1 : 1));
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

function withStatus(row: MatchRow, status: MatchRow[2], changedAt: MatchRow[10]): MatchRow {
  const [number, key, , first, second, firstScore, secondScore, reporter, reportedAt, playedAt] = row;
  return [
    ...([number, key, status, first, second, firstScore, secondScore] as const),
    ...([reporter, reportedAt, playedAt, changedAt] as const),
  ];
}

function changeOf([, , , before, after, deviation]: RatingRow): RatingChange {
  return { before, after, deviation, firstChange: null };
}

function recordOf(row: MatchRow, sides: Map<PlayerNumber, RatingChange> | undefined): MatchRecord {
  const [
    number,
    ,
    status,
    first,
    second,
    firstScore,
    secondScore,
    reporter,
    reportedAt,
    playedAt,
    changedAt,
  ] = row;
  return {
    ...{ number, status, reporter, reportedAt, playedAt, changedAt },
    players: [first, second],
    scores: [firstScore, secondScore],
    changes: sides ? [sides.get(first)!, sides.get(second)!] : null,
  };
}
