import type {
  Arena,
  ArenaAtVersion,
  ArenaChange,
  ArenaJoined,
  ArenaState,
  ArenaTerms,
  MatchResult,
  MoveMade,
  NewArena,
  Replay,
} from "@openseat/protocol";
import type { Asking } from "./asking.ts";
import { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import type { MatchesSeen, MatchSeen } from "./live/matches-seen.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";

/** A seat, or a position in the line. */
export type ArenaPlace = ArenaJoined["place"];

const arenaKind: RoomKind<ArenaAtVersion, ArenaChange> = {
  name: "arena",
  isPersonal: true,
  viewIn({ arena, game, state, version }) {
    return { arena, game, state, version } as ArenaAtVersion;
  },
  changesIn: (message) => message.changes as ArenaChange[],
  after(view, { state, version }, changes) {
    if (state === undefined) return undefined;
    const settings = changes.findLast((change) => change.type === "settings-changed");
    const now = { ...view.state, ...(state as Partial<ArenaState>) };
    return { arena: settings?.arena ?? view.arena, game: view.game, state: now, version };
  },
};

/** One arena. */
export class ArenaHandle {
  readonly id: string;
  readonly #asking: Asking;
  readonly #watches: Watches;
  readonly #seen: MatchesSeen;

  constructor(id: string, asking: Asking, watches: Watches, seen: MatchesSeen) {
    this.id = id;
    this.#asking = asking;
    this.#watches = watches;
    this.#seen = seen;
  }

  async get(): Promise<ArenaAtVersion> {
    const view = await this.#asking.look<ArenaAtVersion>(this.#path());
    const { match } = view.state;
    if (match) this.#seen.told(this.id, { match: match.id, turn: match.turn });
    return view;
  }

  /** A seat, or a position in the line; asking again gives the place that one has. */
  async join(): Promise<ArenaPlace> {
    try {
      const { place, match } = await this.#asking.change<ArenaJoined>(this.#path("/join"));
      if (match !== null) this.#seen.told(this.id, { match, turn: 1 });
      return place;
    } catch (error) {
      const place = placeIn(error);
      if (place) return place;
      throw error;
    }
  }

  async leave(): Promise<void> {
    await this.#asking.change(this.#path("/leave"));
  }

  /** For good; for the maker of the arena and operators. */
  async end(): Promise<ArenaTerms> {
    return (await this.#asking.change<{ arena: ArenaTerms }>(this.#path("/end"))).arena;
  }

  /**
   * For the match and the turn that you name, as the view has them; by default those last seen. So a move that comes late, or
   * twice, does not count for another.
   */
  async move(move: string, match?: string, turn?: number | null): Promise<MoveMade> {
    const seen = match === undefined ? await this.#matchSeen() : this.#seen.of(this.id);
    const meant = match ?? seen!.match;
    const turnSeen = seen?.match === meant ? seen.turn : undefined;
    return this.#asking.change(this.#path("/moves"), {
      match: meant,
      turn: turn ?? turnSeen ?? undefined,
      move,
    });
  }

  async resign(match?: string): Promise<MoveMade> {
    const meant = match ?? (await this.#matchSeen()).match;
    return this.#asking.change(this.#path("/resign"), { match: meant });
  }

  /** Finished matches, the newest first. */
  matches(query: PageQuery = {}): Promise<Page<"matches", MatchResult>> {
    return this.#asking.look(this.#path("/matches"), { ...query });
  }

  replay(match: string): Promise<Replay> {
    return this.#asking.look(this.#path(`/matches/${encodeURIComponent(match)}`));
  }

  /**
   * Calls with the arena as this person may see it, and with what has changed since the call before; the first time with
   * nothing changed. Gives back how to stop.
   */
  watch(
    listener: (view: ArenaAtVersion, changes: readonly ArenaChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    const hear = (view: ArenaAtVersion, changes: readonly ArenaChange[]) => {
      this.#seen.watched(this.id, view);
      listener(view, changes);
    };
    return this.#watches.watch(arenaKind, this.id, hear, onRefused);
  }

  async #matchSeen(): Promise<MatchSeen> {
    const seen = this.#seen.of(this.id);
    if (seen) return seen;
    const { match } = (await this.get()).state;
    if (match) return { match: match.id, turn: match.turn };
    // As the server would say it, if there were a match to ask it about.
    throw new OpenseatError("match.none", "No match is being played right now.", { status: 409 });
  }

  #path(rest = ""): string {
    return `/api/v1/arenas/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** The place that one has already, which is why joining was refused. */
function placeIn(error: unknown): ArenaPlace | undefined {
  if (!(error instanceof OpenseatError) || error.code !== "place.exists") return undefined;
  const { ticket, state, label = null, position = null } = error.data as Partial<ArenaPlace>;
  if (ticket === undefined || state === undefined) return undefined;
  return { ticket, state, label, position };
}

/** All arenas. */
export class Arenas {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** The newest first. */
  list(query: PageQuery & { readonly status?: Arena["status"] } = {}): Promise<Page<"arenas", Arena>> {
    return this.#asking.look("/api/v1/arenas", { ...query });
  }

  async create(arena: NewArena): Promise<ArenaTerms> {
    return (await this.#asking.change<{ arena: ArenaTerms }>("/api/v1/arenas", arena)).arena;
  }
}
