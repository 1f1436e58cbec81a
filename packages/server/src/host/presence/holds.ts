import type { StreamName } from "../../log/log.ts";

export interface Hold {
  release(): void;
}

/** Tickets with an open live connection. It counts as a continuous heartbeat (LS1), even while the stream is out of memory. */
export class Holds {
  readonly #counts = new Map<StreamName, Map<number, number>>();

  /** `onRelease` is called at the release, because the hold counts until then. */
  hold(stream: StreamName, ticket: number, onRelease: () => void): Hold {
    this.#add(stream, ticket, 1);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#add(stream, ticket, -1);
        onRelease();
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
