import type { Beat, Grown, Heard, Sharing } from "../sharing.ts";
import { Beats } from "./beats.ts";
import type { Connections } from "./connection/connections.ts";
import { Hints } from "./hints.ts";

/** How several nodes share one database: by row locks, notifications, and one row that says how things stand among them. */
export class PostgresSharing implements Sharing {
  readonly #hints: Hints;
  readonly #beats: Beats;

  constructor(connections: Connections, node: string) {
    const line = connections.dedicated();
    this.#hints = new Hints(line, node);
    this.#beats = new Beats(connections, line, node);
  }

  announce(grown: readonly Grown[]): void {
    this.#hints.announce(grown);
  }

  listen(onGrown: (grown: readonly Grown[] | undefined) => void): void {
    this.#hints.listen(onGrown);
  }

  async beat(heard: readonly Heard[]): Promise<Beat> {
    const beat = await this.#beats.beat(heard);
    this.#hints.isAlone = beat.others.size === 0;
    return beat;
  }

  leave(): Promise<void> {
    return this.#beats.leave();
  }

  /** Nothing is told or listened to any more; before the connections are closed. */
  close(): void {
    this.#hints.close();
  }
}
