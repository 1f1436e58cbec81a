import { kindOf } from "../host/streams.ts";
import type { StreamName } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { Damage } from "./stream-check.ts";

/** Further rooms are not counted: with this many damaged rooms, the disk is broken. */
const damagedRoomsMax = 10_000;
const linesMax = 100;
const namedMax = 20;
/** `/readyz` is public, so it must not name directories and conversations. These kinds are in public lists. */
const publicKinds = ["game", "queue", "arena", "ladder"];

export interface DamageReport {
  readonly rooms: number;
  readonly snapshots: number;
  readonly names: readonly string[];
  readonly message: string;
}

/** LG9: rooms found damaged since the start, by the check of the log or when they were loaded. */
export class DamagedRooms {
  readonly #logger: Pick<Logger, "error" | "warn">;
  readonly #found = new Map<StreamName, Damage["part"]>();
  #rooms = 0;

  constructor(logger: Pick<Logger, "error" | "warn">) {
    this.#logger = logger;
  }

  get rooms(): number {
    return this.#rooms;
  }

  get snapshots(): number {
    return this.#found.size - this.#rooms;
  }

  note(stream: StreamName, { part, reason }: Damage): void {
    const known = this.#found.get(stream);
    if (known === "log" || known === part) return;
    if (known === undefined && this.#found.size >= damagedRoomsMax) return;
    this.#found.set(stream, part);
    if (part === "log") this.#rooms++;
    if (this.#found.size > linesMax) return;
    if (part === "log") this.#logger.error({ stream, reason }, "the log of a room is damaged");
    else this.#logger.warn({ stream, reason }, "a snapshot is damaged: the room is read from its entries");
  }

  get report(): DamageReport | undefined {
    if (this.#found.size === 0) return undefined;
    const names: string[] = [];
    for (const [stream, part] of this.#found) {
      if (names.length === namedMax) break;
      if (part === "log" && publicKinds.includes(kindOf(stream))) names.push(stream);
    }
    const message =
      this.#rooms > 0
        ? "Only these rooms are affected: all others work. The server's log says what is wrong with each."
        : "All rooms work: those with a damaged snapshot are read from their entries.";
    return { rooms: this.#rooms, snapshots: this.snapshots, names, message };
  }
}
