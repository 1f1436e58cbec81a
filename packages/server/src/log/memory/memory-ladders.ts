import type {
  CountOrder,
  LadderRows,
  MatchNumber,
  MatchRow,
  PlayerNumber,
  RatingRow,
} from "@openseat/kernel";
import type {
  LadderStore,
  MatchQuery,
  Played,
  PlayedQuery,
  RatingChange,
  StoredMatch,
} from "../ladder-store.ts";

interface Step {
  readonly match: MatchNumber;
  readonly previous: CountOrder | null;
  readonly change: RatingChange;
}

interface Table {
  readonly players: Map<PlayerNumber, { readonly name: string; readonly isGone: boolean }>;
  readonly matches: Map<MatchNumber, Omit<StoredMatch, "changes">>;
  /** By turn, then by player: the match, and the turn of the player's previous match. */
  readonly ratings: Map<CountOrder, Map<PlayerNumber, Step>>;
}

/** Standings are read from the state, so they are not stored here. */
export class MemoryLadders implements LadderStore {
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
      const [turn, player, match, previous] = row;
      const sides = table.ratings.get(turn) ?? new Map<PlayerNumber, Step>();
      table.ratings.set(turn, sides.set(player, { match, previous, change: changeOf(row) }));
    }
    for (const [turn, player, before, after, deviation] of recounts) {
      const sides = table.ratings.get(turn);
      const step = sides?.get(player);
      if (!sides || !step) continue;
      const firstChange = step.change.firstChange ?? step.change.after - step.change.before;
      sides.set(player, { ...step, change: { before, after, deviation, firstChange } });
    }
  }

  async matches({ stream, status, order, beyond, limit }: MatchQuery): Promise<StoredMatch[]> {
    const table = this.#table(stream);
    const isNewest = order === "newest";
    const found = [...table.matches.values()].filter((match) => {
      if (status !== undefined && match.status !== status) return false;
      if (beyond === undefined) return true;
      return isNewest ? match.number < beyond : match.number > beyond;
    });
    found.sort((a, b) => (isNewest ? b.number - a.number : a.number - b.number));
    return found.slice(0, limit).map((match) => withChanges(table, match));
  }

  async played({ stream, player, from, opponent = player, limit }: PlayedQuery): Promise<Played> {
    const table = this.#table(stream);
    const matches: StoredMatch[] = [];
    let next: CountOrder | null = from;
    while (next !== null && matches.length < limit) {
      const step: Step | undefined = table.ratings.get(next)?.get(player);
      if (!step) return { matches, next: null };
      const match = table.matches.get(step.match)!;
      if (match.players.includes(opponent)) matches.push(withChanges(table, match));
      next = step.previous;
    }
    return { matches, next };
  }

  async playersNamed(stream: string, start: string, limit: number): Promise<PlayerNumber[]> {
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

/** Like the other stores, ignores case only in Latin letters without accents. */
function folding(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The other stores sort by bytes; JavaScript would sort by code units. */
function bytesOf(name: string): Buffer {
  return Buffer.from(folding(name));
}

function matchOf(row: MatchRow): Omit<StoredMatch, "changes"> {
  const [number, , turn, status, first, second, firstScore, secondScore, ...rest] = row;
  const [reporter, reportedAt, playedAt, changedAt] = rest;
  return {
    ...{ number, turn, status, reporter, reportedAt, playedAt, changedAt },
    players: [first, second],
    scores: [firstScore, secondScore],
  };
}

function withChanges({ ratings }: Table, match: Omit<StoredMatch, "changes">): StoredMatch {
  const sides = match.turn === null ? undefined : ratings.get(match.turn);
  const [first, second] = match.players.map((player) => sides?.get(player)?.change);
  return { ...match, changes: first && second ? [first, second] : null };
}

function changeOf([, , , , , before, after, deviation]: RatingRow): RatingChange {
  return { before, after, deviation, firstChange: null };
}
