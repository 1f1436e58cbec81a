import { Backlog } from "../collections/backlog.ts";
import { assert, type PersonId } from "../values.ts";
import type { Duel, DuelNumber, FinishedDuel } from "./duel.ts";
import { duelLimits } from "./limits.ts";

/** All open duels, by pair and by person, and the latest finished ones. */
export class Duels {
  readonly #open = new Map<DuelNumber, Duel>();
  readonly #ofPair = new Map<string, DuelNumber>();
  readonly #ofOpener = new Map<PersonId, number>();
  /** Open duels by network: one attacker can have many identities, but few networks. */
  readonly #bySource = new Backlog<string>();
  readonly #finished = new Map<DuelNumber, FinishedDuel>();
  /** One iterator, kept: a new one for each eviction would skip over all keys deleted before. */
  readonly #oldestFinished = this.#finished.entries();
  readonly #ofPerson = new Map<PersonId, { readonly open: Set<DuelNumber>; finished: DuelNumber[] }>();
  #last = 0;

  get next(): DuelNumber {
    return (this.#last + 1) as DuelNumber;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** All open duels, oldest first. */
  get allOpen(): IterableIterator<Duel> {
    return this.#open.values();
  }

  openOf(person: PersonId): Duel[] {
    return Array.from(this.#ofPerson.get(person)?.open ?? [], (number) => this.#open.get(number)!);
  }

  hasOpen(person: PersonId): boolean {
    return (this.#ofPerson.get(person)?.open.size ?? 0) > 0;
  }

  openedBy(person: PersonId): number {
    return this.#ofOpener.get(person) ?? 0;
  }

  /** LM6: the duel that is evicted when this person is challenged once more; undefined below the limits. */
  evictedFor(opponent: PersonId): Duel | undefined {
    const challenges = this.openOf(opponent).filter(({ players }) => players[1] === opponent);
    if (challenges.length >= duelLimits.challengesToOneMax) return this.#ofHeaviest(challenges);
    if (this.#open.size < duelLimits.openMax) return undefined;
    return this.#open.get(this.#bySource.oldestOfHeaviest as DuelNumber);
  }

  /**
   * The duel to evict among challenges to one person. Two people have at most one open duel, so all duels of a source
   * count.
   */
  #ofHeaviest(challenges: readonly Duel[]): Duel {
    const unanswered = challenges.filter(({ hands }) => hands[1] === null);
    const weight = (duel: Duel) => this.#bySource.of(sourceOf(duel)).size;
    return (unanswered.length > 0 ? unanswered : challenges).reduce((heaviest, duel) =>
      weight(duel) > weight(heaviest) ? duel : heaviest,
    );
  }

  /** The latest finished duels of a person, newest first. */
  finishedOf(person: PersonId): FinishedDuel[] {
    const numbers = this.#ofPerson.get(person)?.finished ?? [];
    return numbers.flatMap((number) => this.#finished.get(number) ?? []).reverse();
  }

  get(number: DuelNumber): Duel | FinishedDuel | undefined {
    return this.#open.get(number) ?? this.#finished.get(number);
  }

  getOpen(number: DuelNumber): Duel | undefined {
    return this.#open.get(number);
  }

  /** CH4: two people have at most one open duel, whichever of them opened it. */
  between(one: PersonId, other: PersonId): Duel | undefined {
    const number = this.#ofPair.get(pairOf(one, other));
    return number === undefined ? undefined : this.#open.get(number);
  }

  add(duel: Duel): void {
    const pair = pairOf(...duel.players);
    assert(!this.#ofPair.has(pair), "two people have two duels at once");
    assert(duel.number > this.#last, "a duel out of order");
    this.#last = duel.number;
    this.#ofPair.set(pair, duel.number);
    this.#open.set(duel.number, duel);
    this.#bySource.add(sourceOf(duel), duel.number);
    this.#countOpened(duel.players[0], 1);
    for (const person of duel.players) this.#entryOf(person).open.add(duel.number);
  }

  /** The same duel with one more throw. */
  update(duel: Duel): void {
    assert(this.#open.has(duel.number), "a throw in a duel that is not open");
    this.#open.set(duel.number, duel);
  }

  finish(duel: FinishedDuel): void {
    const open = this.#open.get(duel.number);
    assert(open !== undefined, "a duel ended twice");
    this.#open.delete(duel.number);
    this.#ofPair.delete(pairOf(...duel.players));
    this.#bySource.remove(sourceOf(open), duel.number);
    this.#countOpened(duel.players[0], -1);
    this.#remember(duel);
  }

  #countOpened(person: PersonId, more: 1 | -1): void {
    const count = this.openedBy(person) + more;
    if (count > 0) this.#ofOpener.set(person, count);
    else this.#ofOpener.delete(person);
  }

  #remember(duel: FinishedDuel): void {
    this.#finished.set(duel.number, duel);
    for (const person of duel.players) {
      const entry = this.#entryOf(person);
      entry.open.delete(duel.number);
      // Replace the list: a snapshot that is being written still uses the old one.
      const latest = [...entry.finished, duel.number];
      entry.finished = latest.slice(-duelLimits.finishedOfOneMax);
      if (latest.length > duelLimits.finishedOfOneMax) this.#forgetUnlisted(latest[0]);
    }
    if (this.#finished.size > duelLimits.finishedMax) this.#forgetOldest();
  }

  /** LM6: duels that neither player is shown any more must not displace those that others have played. */
  #forgetUnlisted(number: DuelNumber): void {
    const players = this.#finished.get(number)?.players ?? [];
    const isListed = players.some((person) => this.#ofPerson.get(person)?.finished.includes(number));
    if (!isListed) this.#finished.delete(number);
  }

  #forgetOldest(): void {
    const [number, { players }] = this.#oldestFinished.next().value!;
    this.#finished.delete(number);
    for (const person of players) {
      const entry = this.#ofPerson.get(person);
      if (!entry) continue;
      entry.finished = entry.finished.filter((each) => each !== number);
      if (entry.finished.length === 0 && entry.open.size === 0) this.#ofPerson.delete(person);
    }
  }

  #entryOf(person: PersonId): { readonly open: Set<DuelNumber>; finished: DuelNumber[] } {
    const known = this.#ofPerson.get(person);
    if (known) return known;
    const entry = { open: new Set<DuelNumber>(), finished: [] };
    this.#ofPerson.set(person, entry);
    return entry;
  }

  save(): SavedDuels {
    return { last: this.#last, open: [...this.#open.values()], finished: [...this.#finished.values()] };
  }

  static restore({ last, open, finished }: SavedDuels): Duels {
    const duels = new Duels();
    for (const duel of open) duels.add(duel);
    for (const duel of finished) duels.#remember(duel);
    duels.#last = last;
    return duels;
  }
}

export interface SavedDuels {
  readonly last: number;
  readonly open: readonly Duel[];
  readonly finished: readonly FinishedDuel[];
}

function sourceOf({ network, players }: Pick<Duel, "network" | "players">): string {
  return network ?? players[0];
}

function pairOf(one: PersonId, other: PersonId): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
