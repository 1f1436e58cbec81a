import { Backlog } from "../../collections/backlog.ts";
import { ladderLimits } from "../limits.ts";
import type { MatchNumber, PendingMatch, PlayerNumber } from "../state.ts";

type Played = Pick<PendingMatch, "players" | "reporter">;
type Sent = Pick<PendingMatch, "players" | "reporter" | "network">;

/** LD9: the matches that wait for confirmation, in the order of their numbers. */
export class PendingMatches {
  readonly #matches = new Map<MatchNumber, PendingMatch>();
  readonly #byReporter = new Map<PlayerNumber, Set<MatchNumber>>();
  readonly #byOpponent = new Map<PlayerNumber, Set<MatchNumber>>();
  /** Matches by the network they came from: one attacker can have many identities, but few networks. */
  readonly #bySource = new Backlog<string>();
  /** LD14: by disputed report, the report that disputes it. */
  readonly #disputing = new Map<MatchNumber, MatchNumber>();

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
    this.#matches.set(match, pending);
    this.#bySource.add(sourceOf(pending), match);
    addTo(this.#byReporter, reporterIn(pending), match);
    addTo(this.#byOpponent, opponentIn(pending), match);
    if (pending.disputes !== undefined && this.#matches.has(pending.disputes))
      this.#disputing.set(pending.disputes, match);
  }

  delete(match: MatchNumber): void {
    const pending = this.#matches.get(match);
    if (!pending) return;
    this.#matches.delete(match);
    this.#disputing.delete(match);
    if (pending.disputes !== undefined) this.#disputing.delete(pending.disputes);
    this.#bySource.remove(sourceOf(pending), match);
    removeFrom(this.#byReporter, reporterIn(pending), match);
    removeFrom(this.#byOpponent, opponentIn(pending), match);
  }

  /** Matches that this player reported, oldest first. */
  reportedBy(player: PlayerNumber): ReadonlySet<MatchNumber> {
    return this.#byReporter.get(player) ?? none;
  }

  /** Matches that this player may confirm or decline, oldest first. */
  waitingFor(player: PlayerNumber): ReadonlySet<MatchNumber> {
    return this.#byOpponent.get(player) ?? none;
  }

  /** LD14: the other report of the same match, while both are pending. */
  disputeOf(match: MatchNumber): MatchNumber | undefined {
    const disputed = this.#matches.get(match)?.disputes;
    return this.#disputing.get(match) ?? (this.#disputing.get(disputed!) === match ? disputed : undefined);
  }

  /** LD14: the opponent's pending report of the same match, preferably one with the same score. */
  reportOfOpponent(played: Played & Pick<PendingMatch, "scores">): MatchNumber | undefined {
    const reports = this.#reportsOfOpponent(played);
    return (
      reports.find((match) => hasScoreOf(this.#matches.get(match)!, played)) ??
      reports.find((match) => this.disputeOf(match) === undefined)
    );
  }

  hasReportOfOpponent(played: Played): boolean {
    return this.#reportsOfOpponent(played).length > 0;
  }

  #reportsOfOpponent(played: Played): MatchNumber[] {
    const reporter = reporterIn(played);
    const reports = [...this.reportedBy(opponentIn(played))];
    return reports.filter((match) => opponentIn(this.#matches.get(match)!) === reporter);
  }

  /** How many pending reports the same player has against the same opponent. */
  ofPair(played: Played): number {
    const opponent = opponentIn(played);
    let count = 0;
    for (const match of this.reportedBy(reporterIn(played)))
      if (opponentIn(this.#matches.get(match)!) === opponent) count++;
    return count;
  }

  /** LM6: the match that lapses to make room for this report; undefined below the limits. */
  evictedFor(played: Sent): MatchNumber | undefined {
    const asked = this.waitingFor(opponentIn(played));
    if (asked.size >= ladderLimits.pendingToOneMax) return this.#oldestOfHeaviest(asked);
    if (this.size < ladderLimits.pendingMax) return undefined;
    return this.#bySource.oldestOfHeaviest as MatchNumber | undefined;
  }

  /** The match to evict among those that wait for one opponent. */
  #oldestOfHeaviest(matches: Iterable<MatchNumber>): MatchNumber | undefined {
    const backlog = new Backlog<string>();
    for (const match of matches) backlog.add(sourceOf(this.#matches.get(match)!), match);
    return backlog.oldestOfHeaviest as MatchNumber | undefined;
  }
}

const none: ReadonlySet<MatchNumber> = new Set();

export function reporterIn({ players, reporter }: Played): PlayerNumber {
  return players[reporter === "first" ? 0 : 1];
}

function sourceOf(sent: Sent): string {
  return sent.network ?? `player ${reporterIn(sent)}`;
}

function opponentIn({ players, reporter }: Played): PlayerNumber {
  return players[reporter === "first" ? 1 : 0];
}

export function hasScoreOf(
  { players, scores }: Pick<PendingMatch, "players" | "scores">,
  other: Pick<PendingMatch, "players" | "scores">,
): boolean {
  const [first, second] = players[0] === other.players[0] ? other.scores : [other.scores[1], other.scores[0]];
  return scores[0] === first && scores[1] === second;
}

function addTo(sets: Map<PlayerNumber, Set<MatchNumber>>, player: PlayerNumber, match: MatchNumber): void {
  const matches = sets.get(player);
  if (matches) matches.add(match);
  else sets.set(player, new Set([match]));
}

function removeFrom(
  sets: Map<PlayerNumber, Set<MatchNumber>>,
  player: PlayerNumber,
  match: MatchNumber,
): void {
  const matches = sets.get(player)!;
  matches.delete(match);
  if (matches.size === 0) sets.delete(player);
}
