import { Backlog } from "../collections/backlog.ts";
import type { MatchNumber, PendingMatch, PlayerNumber } from "./ladder.ts";
import { ladderLimits } from "./limits.ts";

type Played = Pick<PendingMatch, "players" | "reporter">;

/** LD9: the matches that wait to be confirmed, in the order of their numbers; by who reported them, and by who is asked. */
export class PendingMatches {
  readonly #matches = new Map<MatchNumber, PendingMatch>();
  readonly #byReporter = new Backlog<PlayerNumber>();
  readonly #byOpponent = new Map<PlayerNumber, Set<MatchNumber>>();

  constructor(saved: Iterable<readonly [MatchNumber, PendingMatch]> = []) {
    for (const [match, pending] of saved) this.add(match, pending);
  }

  get size(): number {
    return this.#matches.size;
  }

  get(match: MatchNumber): PendingMatch | undefined {
    return this.#matches.get(match);
  }

  [Symbol.iterator](): IterableIterator<[MatchNumber, PendingMatch]> {
    return this.#matches[Symbol.iterator]();
  }

  add(match: MatchNumber, pending: PendingMatch): void {
    const opponent = opponentIn(pending);
    this.#matches.set(match, pending);
    this.#byReporter.add(reporterIn(pending), match);
    const asked = this.#byOpponent.get(opponent);
    if (asked) asked.add(match);
    else this.#byOpponent.set(opponent, new Set([match]));
  }

  delete(match: MatchNumber): void {
    const pending = this.#matches.get(match);
    if (!pending) return;
    const opponent = opponentIn(pending);
    this.#matches.delete(match);
    this.#byReporter.remove(reporterIn(pending), match);
    const asked = this.#byOpponent.get(opponent)!;
    asked.delete(match);
    if (asked.size === 0) this.#byOpponent.delete(opponent);
  }

  /** The oldest first. */
  reportedBy(player: PlayerNumber): ReadonlySet<MatchNumber> {
    return this.#byReporter.of(player) as ReadonlySet<MatchNumber>;
  }

  /** Those that this player may confirm or decline, the oldest first. */
  waitingFor(player: PlayerNumber): ReadonlySet<MatchNumber> {
    return this.#byOpponent.get(player) ?? none;
  }

  /** How many of those that the same player has reported wait for the same opponent. */
  ofPair(played: Played): number {
    const opponent = opponentIn(played);
    let count = 0;
    for (const match of this.reportedBy(reporterIn(played)))
      if (opponentIn(this.#matches.get(match)!) === opponent) count++;
    return count;
  }

  /** LM6: the match that has to lapse before another can wait; undefined while there is room. */
  evictedFor(played: Played): MatchNumber | undefined {
    const asked = this.waitingFor(opponentIn(played));
    if (asked.size >= ladderLimits.pendingToOneMax) return this.#oldestOfHeaviest(asked);
    if (this.size < ladderLimits.pendingMax) return undefined;
    return this.#byReporter.oldestOfHeaviest as MatchNumber | undefined;
  }

  /** Of the few that wait for one opponent. */
  #oldestOfHeaviest(matches: Iterable<MatchNumber>): MatchNumber | undefined {
    const backlog = new Backlog<PlayerNumber>();
    for (const match of matches) backlog.add(reporterIn(this.#matches.get(match)!), match);
    return backlog.oldestOfHeaviest as MatchNumber | undefined;
  }
}

const none: ReadonlySet<MatchNumber> = new Set();

export function reporterIn({ players, reporter }: Played): PlayerNumber {
  return players[reporter === "first" ? 0 : 1];
}

function opponentIn({ players, reporter }: Played): PlayerNumber {
  return players[reporter === "first" ? 1 : 0];
}
