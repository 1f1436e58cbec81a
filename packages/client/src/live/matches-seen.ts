import type { ArenaAtVersion } from "@openseat/protocol";

/** Arenas to remember; above it, the least recently seen is forgotten. */
const arenasMax = 1_000;

/** A match, and its turn if known. */
export interface MatchSeen {
  readonly match: string;
  readonly turn?: number | null | undefined;
}

/** The newest match and turn seen in each arena. Moves name them, so that they cannot count in the next. */
export class MatchesSeen {
  readonly #byArena = new Map<string, MatchSeen & { readonly version: number }>();

  of(arena: string): MatchSeen | undefined {
    return this.#byArena.get(arena);
  }

  /** Watched views arrive in order, so an older version means that the server was restored from a backup. */
  recordView(arena: string, { version, state: { match } }: ArenaAtVersion): void {
    if (version < (this.#byArena.get(arena)?.version ?? 0)) this.#byArena.delete(arena);
    if (match) this.record(arena, { match: match.id, turn: match.turn }, version);
  }

  /** Keeps the newer of the two, because answers can arrive late. */
  record(arena: string, received: MatchSeen, version = this.#byArena.get(arena)?.version ?? 0): void {
    const seen = this.#byArena.get(arena);
    this.#byArena.delete(arena);
    const newest = seen && isNewer(seen, received) ? seen : received;
    this.#byArena.set(arena, { match: newest.match, turn: newest.turn, version });
    if (this.#byArena.size <= arenasMax) return;
    for (const oldest of this.#byArena.keys()) {
      this.#byArena.delete(oldest);
      return;
    }
  }
}

function isNewer(seen: MatchSeen, received: MatchSeen): boolean {
  if (seen.match !== received.match) return Number(seen.match) > Number(received.match);
  return (seen.turn ?? 0) > (received.turn ?? 0);
}
