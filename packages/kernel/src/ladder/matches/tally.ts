import type { Both, Millis, PersonId } from "../../values.ts";
import type { Result } from "../commands.ts";
import type { LadderEvent } from "../events.ts";
import { type Contender, type Rerating, scoreOf } from "../ratings/rating.ts";
import { rateMatch } from "../ratings/systems.ts";
import type { CountOrder, Ladder, MatchNumber, PlayerNumber, Reporter } from "../state.ts";

interface Played {
  readonly players: Both<PlayerNumber>;
  readonly scores: Both<number>;
  readonly reporter: Reporter;
  readonly playedAt?: Millis | null;
  readonly origin?: string;
}

/**
 * Collects the events of one entry before the ladder changes. Each match is rated with what the previous matches of
 * the same entry left.
 */
export class Tally {
  readonly events: LadderEvent[] = [];
  readonly #ladder: Ladder;
  readonly #contenders = new Map<PlayerNumber, Contender>();
  readonly #lastOrders = new Map<PlayerNumber, CountOrder>();
  readonly #arrived = new Map<PersonId, PlayerNumber>();
  /** Players who left in the same entry. */
  readonly #gone = new Set<PlayerNumber>();
  #players: number;
  #matches: number;
  #lastOrder: number;

  constructor(ladder: Ladder) {
    this.#ladder = ladder;
    this.#players = ladder.players.size;
    this.#matches = ladder.statuses.size;
    this.#lastOrder = ladder.counted.lastOrder;
  }

  /**
   * Enrols a new player, or brings back one who left with their old rating. Without a name, they keep their old one.
   */
  enrol(person: PersonId, name: string, rating?: number, keepsName = false): PlayerNumber {
    const { players, terms } = this.#ladder;
    const known = this.#known(person);
    const player = known ?? (++this.#players as PlayerNumber);
    this.#arrived.set(person, player);
    this.#gone.delete(player);
    if (known !== undefined) {
      this.events.push({ type: "returned", player, name: keepsName ? players.nameOf(known) : name });
    } else {
      const { start, deviation, volatility } = terms.rating;
      const own = rating ?? start;
      this.events.push({ type: "enrolled", player, person, name, rating: own });
      this.#contenders.set(player, { rating: own, deviation, volatility, games: 0 });
    }
    return player;
  }

  /** Renames a player. Ignores people who never were on the ladder. */
  rename(person: PersonId, name: string): void {
    const player = this.#known(person);
    if (player !== undefined) this.events.push({ type: "renamed", player, name });
  }

  /**
   * Takes a person off the ladder and removes their name. Their matches stay, because they also belong to the
   * opponents.
   */
  forget(person: PersonId): void {
    const player = this.#known(person);
    if (player === undefined) return;
    this.events.push({ type: "renamed", player, name: "forgotten" });
    if (this.#isHere(player, person)) this.events.push({ type: "left", player });
    this.#gone.add(player);
  }

  #isHere(player: PlayerNumber, person: PersonId): boolean {
    return !this.#gone.has(player) && (this.#arrived.has(person) || this.#ladder.players.isPresent(player));
  }

  #known(person: PersonId): PlayerNumber | undefined {
    return this.#arrived.get(person) ?? this.#ladder.players.find(person);
  }

  /**
   * The numbers of two players, enrolling them if necessary. Playing now brings back a player who left; an old match
   * does not.
   */
  playersOf({ players }: Result, names: Both<string>, when: "now" | "past"): Both<PlayerNumber> {
    return [this.#playerCalled(players[0], names[0], when), this.#playerCalled(players[1], names[1], when)];
  }

  #playerCalled(person: PersonId, name: string, when: "now" | "past"): PlayerNumber {
    const known = this.#known(person);
    const isThere = known !== undefined && (when === "past" || this.#isHere(known, person));
    return isThere ? known : this.enrol(person, name);
  }

  /** LD2, LD3: counts one match and rates both players. `match` is set for a match that was reported before. */
  count({ players, scores, reporter, playedAt, origin }: Played, match?: MatchNumber): void {
    const before = [this.#contender(players[0]), this.#contender(players[1])] as const;
    const { terms } = this.#ladder;
    const rerating = rateMatch(terms.rating, before, scoreOf(scores));
    this.#contenders.set(players[0], after(before, rerating, 0));
    this.#contenders.set(players[1], after(before, rerating, 1));
    const { change, deviation, volatility } = rerating;
    const order = ++this.#lastOrder as CountOrder;
    const previous = [this.#playedBefore(players[0], order), this.#playedBefore(players[1], order)] as const;
    this.events.push({
      type: "counted",
      match: match ?? (++this.#matches as MatchNumber),
      ...{ turn: order, previous },
      ...{ players, scores, reporter },
      before: [before[0].rating, before[1].rating],
      change,
      ...(terms.rating.system === "glicko2" && { deviation, volatility }),
      ...(typeof playedAt === "number" && { playedAt }),
      ...(origin !== undefined && { origin }),
    });
  }

  /** The count order of the player's previous match. */
  #playedBefore(player: PlayerNumber, order: CountOrder): CountOrder | null {
    const { players } = this.#ladder;
    const isNew = player > players.size;
    const last = this.#lastOrders.get(player) ?? (isNew ? null : players.lastOrderOf(player));
    this.#lastOrders.set(player, order);
    return last;
  }

  #contender(player: PlayerNumber): Contender {
    return this.#contenders.get(player) ?? this.#ladder.players.contender(player);
  }
}

/** A player's values after a match that counts. */
export function after(before: Both<Contender>, rerating: Rerating, which: 0 | 1): Contender {
  return {
    rating: before[which].rating + rerating.change[which],
    deviation: rerating.deviation[which],
    volatility: rerating.volatility[which],
    games: before[which].games + 1,
  };
}
