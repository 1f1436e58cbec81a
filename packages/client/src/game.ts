import type { CanJoin, Game, GameChange, Joined, NewGame, OwnPlace, Participant } from "@openseat/protocol";
import type { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import type { Requests } from "./requests.ts";

export interface GameUpdate {
  readonly game: Game;
  readonly changes: readonly GameChange[];
}

const gameKind: RoomKind<Game, GameChange> = {
  name: "game",
  isPersonal: false,
  keepsPlace: true,
  viewIn: (message) => message.game as Game,
  changesIn: (message) => message.changes as GameChange[],
  // Each change carries the counts after it.
  after: (game, message) => (message.changes as GameChange[]).reduce(gameAfter, game),
};

function gameAfter(game: Game, change: GameChange): Game {
  const { currentPlayers, maxPlayers, availableSlots, waiting } = change;
  const status = change.type === "status-changed" ? change.status : game.status;
  return { ...game, currentPlayers, maxPlayers, availableSlots, waiting, status };
}

/** One game. */
export class GameHandle {
  readonly id: string;
  readonly #requests: Requests;
  readonly #watches: Watches;

  constructor(id: string, requests: Requests, watches: Watches) {
    this.id = id;
    this.#requests = requests;
    this.#watches = watches;
  }

  async get(): Promise<Game> {
    return (await this.#requests.read<{ game: Game }>(this.#path())).game;
  }

  /** Takes a seat, or a place in the line if the game is full and has a line. */
  join(): Promise<Joined> {
    return this.#requests.write(this.#path("/join"));
  }

  async leave(): Promise<Game> {
    return (await this.#requests.write<{ game: Game }>(this.#path("/leave"))).game;
  }

  /** Ends the game permanently. For its creator and operators. */
  async end(): Promise<Game> {
    return (await this.#requests.write<{ game: Game }>(this.#path("/end"))).game;
  }

  /** Removes a person from the game. For its creator and operators. */
  async remove(userId: string): Promise<Game> {
    const path = this.#path(`/participants/${encodeURIComponent(userId)}/remove`);
    return (await this.#requests.write<{ game: Game }>(path)).game;
  }

  /** Sends a heartbeat, for games with `heartbeatTimeoutSeconds`. Watching the game does the same. */
  heartbeat(): Promise<OwnPlace> {
    return this.#requests.write(this.#path("/heartbeat"));
  }

  canJoin(): Promise<CanJoin> {
    return this.#requests.readAsPerson(this.#path("/can-join"));
  }

  /** Lists participants. `present`: only the people who are in the game now. */
  participants({
    present = false,
    ...query
  }: PageQuery & { readonly present?: boolean } = {}): Promise<Page<"participants", Participant>> {
    return this.#requests.read(this.#path("/participants"), {
      ...query,
      ...(present && { present: "true" }),
    });
  }

  /** Calls the listener with the game now and after each change. Returns a function that stops watching. */
  watch(
    listener: (game: Game, changes: readonly GameChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(gameKind, this.id, listener, onRefused);
  }

  /** `watch` as an async iterator. */
  updates(): AsyncIterableIterator<GameUpdate, undefined> {
    return this.#watches.updates(this.watch.bind(this), (game, changes) => ({ game, changes }));
  }

  #path(rest = ""): string {
    return `/api/v1/games/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** All games. */
export class Games {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists games, newest first. */
  list(query: PageQuery & { readonly status?: Game["status"] } = {}): Promise<Page<"games", Game>> {
    return this.#requests.read("/api/v1/games", { ...query });
  }

  async create(game: NewGame): Promise<Game> {
    return (await this.#requests.write<{ game: Game }>("/api/v1/games", game)).game;
  }
}
