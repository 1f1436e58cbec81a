import type { StreamName } from "../../log/log.ts";

export interface Hold {
  /** To be called once it is over; more often does no harm. */
  release(): void;
}

/**
 * The tickets with an open live connection, which is a sign of life the whole time (LS1). Kept apart from the streams:
 * a connection stays open while its stream leaves memory and comes back.
 */
export class Holds {
  /** How many connections each ticket has, by stream. Limited by the connections that there can be. */
  readonly #counts = new Map<StreamName, Map<number, number>>();

  /** `heard` is called when it is released: up to that moment there was a sign of life. */
  hold(stream: StreamName, ticket: number, heard: () => void): Hold {
    this.#add(stream, ticket, 1);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#add(stream, ticket, -1);
        heard();
      },
    };
  }

  of(stream: StreamName): ReadonlyMap<number, number> | undefined {
    return this.#counts.get(stream);
  }

  *all(): Generator<readonly [StreamName, number]> {
    for (const [stream, counts] of this.#counts) for (const ticket of counts.keys()) yield [stream, ticket];
  }

  #add(stream: StreamName, ticket: number, change: 1 | -1): void {
    let counts = this.#counts.get(stream);
    if (!counts) {
      counts = new Map();
      this.#counts.set(stream, counts);
    }
    const count = (counts.get(ticket) ?? 0) + change;
    if (count > 0) counts.set(ticket, count);
    else counts.delete(ticket);
    if (counts.size === 0) this.#counts.delete(stream);
  }
}
