import type { ArenaAtVersion } from "@openseat/protocol";

/** Arenas whose matches are remembered; past it the one seen longest ago is forgotten. */
const arenasMax = 1_000;

/** The newest match that was seen in each arena: moves are meant for it, and must not land in the next. */
export class MatchesSeen {
  readonly #byArena = new Map<string, { readonly match: string; readonly version: number }>();

  of(arena: string): string | undefined {
    return this.#byArena.get(arena)?.match;
  }

  /** Views that are watched come in order: an older version means that the server's data was put back. */
  watched(arena: string, { version, state }: ArenaAtVersion): void {
    if (version < (this.#byArena.get(arena)?.version ?? 0)) this.#byArena.delete(arena);
    if (state.match) this.told(arena, state.match.id, version);
  }

  /** An answer may be older than what has been seen since. */
  told(arena: string, match: string, version = this.#byArena.get(arena)?.version ?? 0): void {
    const seen = this.#byArena.get(arena);
    this.#byArena.delete(arena);
    const newest = seen && Number(seen.match) > Number(match) ? seen.match : match;
    this.#byArena.set(arena, { match: newest, version });
    if (this.#byArena.size <= arenasMax) return;
    for (const oldest of this.#byArena.keys()) {
      this.#byArena.delete(oldest);
      return;
    }
  }
}
