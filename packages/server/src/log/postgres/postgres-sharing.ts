import type { Head, StreamName } from "../log.ts";
import type { Beat, Grown, Heard, Sharing } from "../sharing.ts";
import { Beats } from "./beats.ts";
import type { Connections } from "./connections.ts";
import { Hints } from "./hints.ts";

/** How several nodes share one database: by row locks, notifications, and one row that says how things stand among them. */
export class PostgresSharing implements Sharing {
  readonly #connections: Connections;
  readonly #hints: Hints;
  readonly #beats: Beats;

  constructor(connections: Connections, node: string) {
    this.#connections = connections;
    const line = connections.dedicated();
    this.#hints = new Hints(line, node);
    this.#beats = new Beats(connections, line, node);
  }

  async heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    const text = "SELECT name, version, hash FROM streams WHERE name = ANY($1)";
    const { rows } = await this.#connections.query({ text, values: [streams] });
    const heads = new Map<StreamName, Head>(rows.map(({ name, version, hash }) => [name, { version, hash }]));
    return streams.map((stream) => heads.get(stream));
  }

  async snapshotVersion(stream: StreamName): Promise<number> {
    const text = "SELECT snapshots.version FROM snapshots JOIN streams ON stream = number WHERE name = $1";
    const { rows } = await this.#connections.query({ text, values: [stream] });
    return rows[0]?.version ?? 0;
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
