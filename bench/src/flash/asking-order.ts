/**
 * Decides who asks next. A person at position p when m had been admitted cannot be admitted before m + p have.
 * Until then they only watch the public count, like the waiting page.
 */
export class AskingOrder {
  readonly #waiting: number[][] = [];
  readonly #due: number[] = [];
  /** The highest admission count received so far. */
  #moved = 0;
  /** Everybody waiting for this count or a lower one has been called. */
  #passed = -1;

  get moved(): number {
    return this.#moved;
  }

  /** The person is at `position` at a time when `moved` people had been admitted. */
  wait(person: number, position: number, moved: number): void {
    const count = moved + position;
    if (count <= this.#passed) this.#due.push(person);
    else {
      this.#waiting[count] ??= [];
      this.#waiting[count].push(person);
    }
  }

  /** This many people have been admitted. */
  see(moved: number): void {
    this.#moved = Math.max(this.#moved, moved);
    while (this.#passed < this.#moved) this.#call(++this.#passed);
  }

  /** The next person who may have been admitted. */
  next(): number | undefined {
    return this.#due.pop();
  }

  /**
   * The person most likely to be next, although no count says so: their question finds out how far the line has
   * moved.
   */
  scout(): number | undefined {
    for (let count = this.#passed + 1; count < this.#waiting.length; count++) {
      const person = this.#waiting[count]?.pop();
      if (person !== undefined) return person;
    }
    return undefined;
  }

  #call(count: number): void {
    const waiting = this.#waiting[count];
    if (waiting === undefined) return;
    this.#due.push(...waiting);
    delete this.#waiting[count];
  }
}
