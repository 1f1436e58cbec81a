import type { CanJoin, Game, GameChange, Joined, NewGame, OwnPlace, Participant } from "@openseat/protocol";
import type { Asking } from "./asking.ts";
import type { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";

const gameKind: RoomKind<Game, GameChange> = {
  name: "game",
  isPersonal: false,
  keepsPlace: true,
  viewIn: (message) => message.game as Game,
  changesIn: (message) => message.changes as GameChange[],
  // The counts of each change are those after it.
  after: (game, message) => (message.changes as GameChange[]).reduce(gameAfter, game),
};

function gameAfter(game: Game, change: GameChange): Game {
  const { currentPlayers, maxPlayers, availableSlots, waiting, status = game.status } = change;
  return { ...game, currentPlayers, maxPlayers, availableSlots, waiting, status: status as Game["status"] };
}

/** One game. */
export class GameHandle {
  readonly id: string;
  readonly #asking: Asking;
  readonly #watches: Watches;

  constructor(id: string, asking: Asking, watches: Watches) {
    this.id = id;
    this.#asking = asking;
    this.#watches = watches;
  }

  async get(): Promise<Game> {
    return (await this.#asking.look<{ game: Game }>(this.#path())).game;
  }

  /** A seat, or a place in the line of a full game that has one. */
  join(): Promise<Joined> {
    return this.#asking.change(this.#path("/join"));
  }

  async leave(): Promise<Game> {
    return (await this.#asking.change<{ game: Game }>(this.#path("/leave"))).game;
  }

  /** For good; whoever made the game may, and operators. */
  async end(): Promise<Game> {
    return (await this.#asking.change<{ game: Game }>(this.#path("/end"))).game;
  }

  /** Takes the place of this person away; for the maker of the game and operators. */
  async remove(userId: string): Promise<Game> {
    const path = this.#path(`/participants/${encodeURIComponent(userId)}/remove`);
    return (await this.#asking.change<{ game: Game }>(path)).game;
  }

  /** Keeps the place alive in a game with `heartbeatTimeoutSeconds`. To watch the game does it too. */
  heartbeat(): Promise<OwnPlace> {
    return this.#asking.change(this.#path("/heartbeat"));
  }

  canJoin(): Promise<CanJoin> {
    return this.#asking.lookAsSomebody(this.#path("/can-join"));
  }

  /** `present`: only those who are in the game now. */
  participants({
    present = false,
    ...query
  }: PageQuery & { readonly present?: boolean } = {}): Promise<Page<"participants", Participant>> {
    return this.#asking.look(this.#path("/participants"), { ...query, ...(present && { present: "true" }) });
  }

  /** Calls with the game now, and with each change of it from then on. Gives back how to stop. */
  watch(
    listener: (game: Game, changes: readonly GameChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(gameKind, this.id, listener, onRefused);
  }

  #path(rest = ""): string {
    return `/api/v1/games/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** All games. */
export class Games {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** The newest first. */
  list(query: PageQuery & { readonly status?: Game["status"] } = {}): Promise<Page<"games", Game>> {
    return this.#asking.look("/api/v1/games", { ...query });
  }

  async create(game: NewGame): Promise<Game> {
    return (await this.#asking.change<{ game: Game }>("/api/v1/games", game)).game;
  }
}
