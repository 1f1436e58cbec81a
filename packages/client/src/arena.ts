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
import { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import type { MatchesSeen, MatchSeen } from "./live/matches-seen.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import type { Requests } from "./requests.ts";

/** A seat, or a position in the line. */
export type ArenaPlace = ArenaJoined["place"];

/** The arena as this person may see it, and the changes since the last update. */
export type ArenaUpdate = ArenaAtVersion & { readonly changes: readonly ArenaChange[] };

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
  readonly #requests: Requests;
  readonly #watches: Watches;
  readonly #seen: MatchesSeen;

  constructor(id: string, requests: Requests, watches: Watches, seen: MatchesSeen) {
    this.id = id;
    this.#requests = requests;
    this.#watches = watches;
    this.#seen = seen;
  }

  async get(): Promise<ArenaAtVersion> {
    const view = await this.#requests.read<ArenaAtVersion>(this.#path());
    const { match } = view.state;
    if (match) this.#seen.record(this.id, { match: match.id, turn: match.turn });
    return view;
  }

  /** Takes a seat, or a position in the line. Joining again returns the same place. */
  async join(): Promise<ArenaPlace> {
    try {
      const { place, match } = await this.#requests.write<ArenaJoined>(this.#path("/join"));
      if (match !== null) this.#seen.record(this.id, { match, turn: 1 });
      return place;
    } catch (error) {
      const place = placeIn(error);
      if (place) return place;
      throw error;
    }
  }

  async leave(): Promise<void> {
    await this.#requests.write(this.#path("/leave"));
  }

  /** Ends the arena permanently. For its creator and operators. */
  async end(): Promise<ArenaTerms> {
    return (await this.#requests.write<{ arena: ArenaTerms }>(this.#path("/end"))).arena;
  }

  /**
   * Makes a move in this match and turn; by default the ones last seen. Naming them keeps a late or repeated move from
   * counting in another turn.
   */
  async move(move: string, match?: string, turn?: number | null): Promise<MoveMade> {
    const seen = match === undefined ? await this.#matchSeen() : this.#seen.of(this.id);
    const meant = match ?? seen!.match;
    const turnSeen = seen?.match === meant ? seen.turn : undefined;
    return this.#requests.write(this.#path("/moves"), {
      match: meant,
      turn: turn ?? turnSeen ?? undefined,
      move,
    });
  }

  async resign(match?: string): Promise<MoveMade> {
    const meant = match ?? (await this.#matchSeen()).match;
    return this.#requests.write(this.#path("/resign"), { match: meant });
  }

  /** Lists finished matches, newest first. */
  matches(query: PageQuery = {}): Promise<Page<"matches", MatchResult>> {
    return this.#requests.read(this.#path("/matches"), { ...query });
  }

  replay(match: string): Promise<Replay> {
    return this.#requests.read(this.#path(`/matches/${encodeURIComponent(match)}`));
  }

  /**
   * Calls the listener with the arena as this person may see it, and with the changes since the last call. The first call
   * has no changes. Returns a function that stops watching.
   */
  watch(
    listener: (view: ArenaAtVersion, changes: readonly ArenaChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    const onView = (view: ArenaAtVersion, changes: readonly ArenaChange[]) => {
      this.#seen.recordView(this.id, view);
      listener(view, changes);
    };
    return this.#watches.watch(arenaKind, this.id, onView, onRefused);
  }

  /** `watch` as an async iterator. */
  updates(): AsyncIterableIterator<ArenaUpdate, undefined> {
    return this.#watches.updates(this.watch.bind(this), (view, changes) => ({ ...view, changes }));
  }

  async #matchSeen(): Promise<MatchSeen> {
    const seen = this.#seen.of(this.id);
    if (seen) return seen;
    const { match } = (await this.get()).state;
    if (match) return { match: match.id, turn: match.turn };
    // The server's own refusal: without a match there is no address to ask it at.
    throw new OpenseatError("match.none", "No match is being played right now.", { status: 409 });
  }

  #path(rest = ""): string {
    return `/api/v1/arenas/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** The place that the person already has, if that is why joining was refused. */
function placeIn(error: unknown): ArenaPlace | undefined {
  if (!(error instanceof OpenseatError) || error.code !== "place.exists") return undefined;
  const { ticket, state, label = null, position = null } = error.data as Partial<ArenaPlace>;
  if (ticket === undefined || state === undefined) return undefined;
  return { ticket, state, label, position };
}

/** All arenas. */
export class Arenas {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists arenas, newest first. */
  list(query: PageQuery & { readonly status?: Arena["status"] } = {}): Promise<Page<"arenas", Arena>> {
    return this.#requests.read("/api/v1/arenas", { ...query });
  }

  async create(arena: NewArena): Promise<ArenaTerms> {
    return (await this.#requests.write<{ arena: ArenaTerms }>("/api/v1/arenas", arena)).arena;
  }
}
