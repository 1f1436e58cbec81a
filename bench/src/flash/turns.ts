/**
 * Who should ask next. Whoever stands at position p when m have been let in cannot be let in before m + p have: until
 * then there is nothing to ask for. So people watch the count that everyone is told, as the waiting page does.
 */
export class Turns {
  readonly #waiting: number[][] = [];
  readonly #due: number[] = [];
  /** How many have been let in, as far as anyone was told. */
  #moved = 0;
  /** Nobody waits for a count below it, or at it. */
  #passed = -1;

  get moved(): number {
    return this.#moved;
  }

  /** This person is told that so many are ahead, and themselves, at a time when `moved` had been let in. */
  wait(person: number, position: number, moved: number): void {
    const count = moved + position;
    if (count <= this.#passed) this.#due.push(person);
    else {
      this.#waiting[count] ??= [];
      this.#waiting[count].push(person);
    }
  }

  /** So many have been let in. */
  see(moved: number): void {
    this.#moved = Math.max(this.#moved, moved);
    while (this.#passed < this.#moved) this.#call(++this.#passed);
  }

  /** Someone who may have been let in. */
  next(): number | undefined {
    return this.#due.pop();
  }

  /** Whoever is likely to be next, though nobody was told so: so that somebody hears how far the line has moved. */
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
