import { nothing, type Verdict } from "../findings.ts";

/** A place in a game, according to a log. */
export type LoggedJoin = { readonly game: string; readonly person: number; readonly seat: number };

/** Acknowledged joins, by the person's number. Nobody joins twice. */
export class JoinLedger {
  readonly #acknowledged = new Set<number>();

  acknowledge(person: number): void {
    this.#acknowledged.add(person);
  }

  get count(): number {
    return this.#acknowledged.size;
  }

  /** What a log must contain, with the name of the log. */
  async verdicts(
    whose: string,
    logged: AsyncIterable<LoggedJoin> | Iterable<LoggedJoin>,
  ): Promise<Verdict[]> {
    const persons = new Set<number>();
    const seats = new Set<string>();
    let doubled = 0;
    let notAcknowledged = 0;
    for await (const { game, person, seat } of logged) {
      const place = `${game} ${seat}`;
      if (persons.has(person) || seats.has(place)) doubled++;
      if (!this.#acknowledged.has(person)) notAcknowledged++;
      persons.add(person);
      seats.add(place);
    }
    const lost = [...this.#acknowledged].filter((person) => !persons.has(person)).length;
    return [
      nothing(`${whose}: acknowledged joins that are not in the log`, lost),
      nothing(
        `${whose}: unacknowledged joins in the log, duplicate people, or duplicate seats`,
        doubled + notAcknowledged,
      ),
    ];
  }
}
