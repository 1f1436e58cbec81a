import type { StreamAdvanced, StreamName } from "@openseat/server";
import type { Ledger } from "../ledger.ts";
import type { Life, World } from "../world.ts";
import type { Membership } from "./membership.ts";

/** A minimum version of a stream. */
export type StreamAt = Pick<StreamAdvanced, "stream" | "version">;

/** A version of a stream, and when it was written or became known. */
export interface VersionAt {
  readonly version: number;
  readonly atMs: number;
}

/**
 * What the leader knows about entries of all nodes: from its own decisions, from announcements, or from asking the
 * log for the version of a cached stream.
 */
export class Announcements {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #membership: Membership;
  readonly #decidedBy = new Map<StreamName, Life>();
  /** When the leader learnt of each version, in order. */
  readonly #known = new Map<StreamName, VersionAt[]>();

  constructor(world: World, ledger: Ledger, membership: Membership) {
    this.#world = world;
    this.#ledger = ledger;
    this.#membership = membership;
  }

  decided(life: Life, stream: StreamName): void {
    this.#decidedBy.set(stream, life);
  }

  /** The last decision in this stream is durable. */
  written(stream: StreamName): void {
    const life = this.#decidedBy.get(stream);
    if (life) this.#learn(life, stream, this.#ledger.history(stream).version);
  }

  /** A node learns that streams have at least these versions. */
  learnt(life: Life, advanced: readonly StreamAt[]): void {
    for (const { stream, version } of advanced) this.#learn(life, stream, version);
  }

  #learn(life: Life, stream: StreamName, version: number): void {
    if (!this.#membership.isLeader(life)) return;
    const known = this.#known.get(stream) ?? [];
    this.#known.set(stream, known);
    if (version > (known.at(-1)?.version ?? 0)) known.push({ version, atMs: this.#world.elapsedMs });
  }

  /** When the leader first knew of this entry or a later one; infinite if it does not know yet. */
  knownAtMs(stream: StreamName, entry: VersionAt): number {
    const known = this.#known.get(stream)?.find(({ version }) => version >= entry.version);
    return known?.atMs ?? Number.POSITIVE_INFINITY;
  }
}
