import { copiedColumns, growColumns, newColumns, pickedColumns } from "../collections/columns-of.ts";
import { TextTable } from "../collections/text-table.ts";
import { packTexts, unpackTexts } from "../collections/texts.ts";
import type { Column } from "../decider.ts";
import { assert, type Millis, type PersonId } from "../values.ts";
import type { Contender, Rating } from "./ratings/rating.ts";
import type { CountOrder, PlayerNumber } from "./state.ts";

/** One player. */
export interface Player extends Contender {
  readonly number: PlayerNumber;
  readonly person: PersonId;
  readonly name: string;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  /** LD4: how often the rating has changed. */
  readonly version: number;
  /** The count order of their latest match; null before their first match. */
  readonly lastTurn: CountOrder | null;
  readonly enrolledAt: Millis;
  /** Undefined while they are on the ladder. */
  readonly leftAt: Millis | undefined;
}

/** Stored instead of a leave time for players who have not left. */
const PRESENT = 0;

const columnKinds = {
  rating: Float64Array,
  deviation: Float64Array,
  volatility: Float64Array,
  wins: Uint32Array,
  draws: Uint32Array,
  losses: Uint32Array,
  version: Uint32Array,
  lastTurn: Uint32Array,
  enrolledAt: Float64Array,
  leftAt: Float64Array,
} as const;

/** The players of a ladder, in columns by number, so that the garbage collector does not walk a million objects. */
export class Players {
  #persons = new TextTable();
  #names: string[] = [];
  #columns = newColumns(columnKinds);
  #left = 0;

  /** How many players there have been. */
  get size(): number {
    return this.#names.length;
  }

  /** How many players are on the ladder now. */
  get present(): number {
    return this.size - this.#left;
  }

  /** Adds a new player, with the next number. */
  enrol(person: PersonId, name: string, { rating, deviation, volatility }: Rating, at: Millis): PlayerNumber {
    const row = this.#persons.add(person);
    assert(row === this.size, "a player was enrolled twice");
    this.#names.push(name);
    growColumns(this.#columns, this.size);
    const columns = this.#columns;
    columns.rating[row] = rating;
    columns.deviation[row] = deviation;
    columns.volatility[row] = volatility;
    columns.enrolledAt[row] = at;
    columns.leftAt[row] = PRESENT;
    return (row + 1) as PlayerNumber;
  }

  leave(player: PlayerNumber, at: Millis): void {
    assert(this.isPresent(player), "a person left the ladder who was not on it");
    this.#columns.leftAt[player - 1] = at;
    this.#left++;
  }

  return(player: PlayerNumber, name: string): void {
    assert(!this.isPresent(player), "a player came back who had not left");
    this.#columns.leftAt[player - 1] = PRESENT;
    this.#names[player - 1] = name;
    this.#left--;
  }

  rename(player: PlayerNumber, name: string): void {
    this.#names[player - 1] = name;
  }

  /** LD4: each change of rating is a new version. */
  rate(player: PlayerNumber, { rating, deviation, volatility }: Rating): void {
    const row = player - 1;
    const columns = this.#columns;
    columns.rating[row] = rating;
    columns.deviation[row] = deviation;
    columns.volatility[row] = volatility;
    columns.version[row]++;
  }

  played(player: PlayerNumber, order: CountOrder): void {
    this.#columns.lastTurn[player - 1] = order;
  }

  lastOrderOf(player: PlayerNumber): CountOrder | null {
    return (this.#columns.lastTurn[player - 1] as CountOrder) || null;
  }

  /** Adds or removes one match with this outcome. */
  tally(player: PlayerNumber, score: number, by: 1 | -1): void {
    this.#columnOf(score)[player - 1] += by;
  }

  /** The player with this person id, whether or not they are on the ladder now. */
  find(person: PersonId): PlayerNumber | undefined {
    const row = this.#persons.find(person);
    return row < 0 ? undefined : ((row + 1) as PlayerNumber);
  }

  isPresent(player: PlayerNumber): boolean {
    return this.#columns.leftAt[player - 1] === PRESENT;
  }

  ratingOf(player: PlayerNumber): number {
    return this.#columns.rating[player - 1];
  }

  personOf(player: PlayerNumber): PersonId {
    return this.#persons.text(player - 1) as PersonId;
  }

  nameOf(player: PlayerNumber): string {
    return this.#names[player - 1];
  }

  gamesOf(player: PlayerNumber): number {
    const row = player - 1;
    return this.#columns.wins[row] + this.#columns.draws[row] + this.#columns.losses[row];
  }

  contender(player: PlayerNumber): Contender {
    const row = player - 1;
    return {
      rating: this.#columns.rating[row],
      deviation: this.#columns.deviation[row],
      volatility: this.#columns.volatility[row],
      games: this.gamesOf(player),
    };
  }

  get(player: PlayerNumber): Player {
    const row = player - 1;
    const leftAt = this.#columns.leftAt[row];
    return {
      number: player,
      person: this.personOf(player),
      name: this.#names[row],
      ...this.contender(player),
      wins: this.#columns.wins[row],
      draws: this.#columns.draws[row],
      losses: this.#columns.losses[row],
      version: this.#columns.version[row],
      lastTurn: this.lastOrderOf(player),
      enrolledAt: this.#columns.enrolledAt[row] as Millis,
      leftAt: leftAt === PRESENT ? undefined : (leftAt as Millis),
    };
  }

  save(): Record<string, Column> {
    const { bytes, ends } = this.#persons.save();
    const texts = { persons: bytes, personEnds: ends, names: packTexts(this.#names) };
    return { ...texts, ...copiedColumns(this.#columns, this.size) };
  }

  static restore(saved: Readonly<Record<string, Column>>): Players {
    const players = new Players();
    const { persons, personEnds, names } = saved as Record<"persons" | "names", Uint8Array> & {
      personEnds: Uint32Array;
    };
    players.#persons = TextTable.restore({ bytes: persons, ends: personEnds });
    players.#names = unpackTexts(names);
    assert(players.size === players.#persons.size, "a snapshot with more players than names");
    players.#columns = pickedColumns(columnKinds, saved);
    for (const leftAt of players.#columns.leftAt) if (leftAt !== PRESENT) players.#left++;
    return players;
  }

  #columnOf(score: number): Uint32Array {
    if (score === 0.5) return this.#columns.draws;
    return score === 1 ? this.#columns.wins : this.#columns.losses;
  }
}
