import { copiedColumns, growColumns, newColumns, pickedColumns } from "../../collections/columns-of.ts";
import type { Column } from "../../decider.ts";
import { assert, type Both, type Millis } from "../../values.ts";
import { ladderLimits } from "../limits.ts";
import type { Rating, Score } from "../ratings/rating.ts";
import type { CountOrder, MatchNumber, PlayerNumber, Reporter } from "../state.ts";

/** A match that counts or once counted, and what both players had before it. */
export interface CountedMatch {
  readonly match: MatchNumber;
  readonly players: Both<PlayerNumber>;
  readonly score: Score;
  readonly points: Both<number>;
  readonly reporter: Reporter;
  readonly at: Millis;
  readonly before: Both<Rating>;
}

/** Snapshots store the index in this list, so add new reporters at the end. */
const reporters: readonly Reporter[] = ["first", "second", "service", "operator", "import", "source"];
const VOIDED = 0x80;
const SCORE_BITS = 2;

/** How many of the oldest matches to drop at once, so that columns are not copied for every match. */
const SPARE = ladderLimits.recountMax;

/** Two scores up to `scoreMax` share one column. */
const POINT_BITS = 10;

const columnKinds = {
  match: Uint32Array,
  points: Uint32Array,
  first: Uint32Array,
  second: Uint32Array,
  marks: Uint8Array, // the first player's points in halves, the reporter, and whether it is void
  countedAt: Float64Array,
  firstRating: Float64Array,
  secondRating: Float64Array,
  firstDeviation: Float64Array,
  secondDeviation: Float64Array,
  firstVolatility: Float64Array,
  secondVolatility: Float64Array,
} as const;

/**
 * The latest matches in the order in which they came to count, which with confirmation is not the order of their
 * numbers. Only these can be voided (LD8), so older ones are only in the rows and the log.
 */
export class CountedMatches {
  #columns = newColumns(columnKinds);
  #size = 0;
  #lastOrder = 0;

  get size(): number {
    return this.#size;
  }

  /** How many matches ever came to count: the count order of the latest. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  orderAt(index: number): CountOrder {
    return (this.#lastOrder - this.#size + 1 + index) as CountOrder;
  }

  push({ match, players, score, points, reporter, at, before }: CountedMatch): void {
    if (this.#size === ladderLimits.recountMax + SPARE) this.#dropOldest();
    const index = this.#size++;
    this.#lastOrder++;
    growColumns(this.#columns, this.#size);
    const columns = this.#columns;
    columns.match[index] = match;
    columns.points[index] = (points[0] << POINT_BITS) | points[1];
    [columns.first[index], columns.second[index]] = players;
    columns.marks[index] = (reporters.indexOf(reporter) << SCORE_BITS) | (2 * score);
    columns.countedAt[index] = at;
    this.setBefore(index, before);
  }

  /** The index of the match; undefined when it never counted, or too many have counted since. */
  find(match: MatchNumber): number | undefined {
    const index = this.#columns.match.subarray(0, this.#size).lastIndexOf(match);
    return index < 0 || this.#size - 1 - index > ladderLimits.recountMax ? undefined : index;
  }

  get(index: number): CountedMatch {
    const columns = this.#columns;
    const marks = columns.marks[index];
    return {
      match: columns.match[index] as MatchNumber,
      players: this.playersOf(index),
      score: ((marks & 3) / 2) as Score,
      points: [columns.points[index] >>> POINT_BITS, columns.points[index] & ((1 << POINT_BITS) - 1)],
      reporter: reporters[(marks & ~VOIDED) >>> SCORE_BITS],
      at: columns.countedAt[index] as Millis,
      before: [
        {
          rating: columns.firstRating[index],
          deviation: columns.firstDeviation[index],
          volatility: columns.firstVolatility[index],
        },
        {
          rating: columns.secondRating[index],
          deviation: columns.secondDeviation[index],
          volatility: columns.secondVolatility[index],
        },
      ],
    };
  }

  /** The index of the match with this count order. */
  indexAt(order: CountOrder): number {
    const index = order - this.orderAt(0);
    assert(index >= 0 && index < this.#size, "a match was recounted that does not count");
    return index;
  }

  playersOf(index: number): Both<PlayerNumber> {
    return [this.#columns.first[index] as PlayerNumber, this.#columns.second[index] as PlayerNumber];
  }

  isVoided(index: number): boolean {
    return (this.#columns.marks[index] & VOIDED) !== 0;
  }

  void(index: number): void {
    assert(!this.isVoided(index), "a match was voided twice");
    this.#columns.marks[index] |= VOIDED;
  }

  setBefore(index: number, [first, second]: Both<Rating>): void {
    const columns = this.#columns;
    columns.firstRating[index] = first.rating;
    columns.firstDeviation[index] = first.deviation;
    columns.firstVolatility[index] = first.volatility;
    columns.secondRating[index] = second.rating;
    columns.secondDeviation[index] = second.deviation;
    columns.secondVolatility[index] = second.volatility;
  }

  save(): Record<string, Column> {
    return copiedColumns(this.#columns, this.#size);
  }

  static restore(saved: Readonly<Record<string, Column>>, lastOrder: number): CountedMatches {
    const matches = new CountedMatches();
    matches.#lastOrder = lastOrder;
    matches.#columns = pickedColumns(columnKinds, saved);
    matches.#size = matches.#columns.match.length;
    return matches;
  }

  #dropOldest(): void {
    for (const column of Object.values(this.#columns)) column.copyWithin(0, SPARE, this.#size);
    this.#size -= SPARE;
  }
}
