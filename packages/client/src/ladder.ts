import type {
  Enrolment,
  HeadToHead,
  Ladder,
  LadderChange,
  LadderImport,
  LadderMatch,
  LadderMatchMade,
  LadderPlayer,
  LadderTerms,
  NewLadder,
  NewLadderMatch,
  RatingStep,
} from "@openseat/protocol";
import { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import { followImport } from "./ladder-import.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import type { Clock } from "./platform.ts";
import type { Requests } from "./requests.ts";

/** A ladder, with the requesting person as its player; `you` is null if they are none. */
export interface LadderAtVersion {
  readonly ladder: Ladder;
  readonly you: LadderPlayer | null;
  readonly version: number;
}

/** An item of the list of ladders. */
export type LadderSummary = Omit<Ladder, "pending"> & {
  readonly leader: { readonly name: string; readonly rating: number } | null;
};

/** The result of a report or a confirmation. */
export type MatchMade = LadderMatchMade["match"];

/** The result of declining or voiding a match; `recounted` is how many later matches were recalculated. */
export type MatchSettled = Pick<MatchMade, "id" | "status"> & { readonly recounted: number };

export type Enrolled = { readonly userId: string; readonly name: string; readonly rating: number | null };

/** A past match. People who are not on the ladder yet become players. */
export interface PastMatch extends NewLadderMatch {
  readonly names?: readonly string[];
  /** When it was played, in ISO 8601. */
  readonly at?: string;
}

/** Starts at a cursor, or at a place counted from 1. */
export type StandingsQuery = PageQuery & { readonly from?: number };

export type LadderMatchesQuery = PageQuery & {
  readonly player?: string;
  readonly opponent?: string;
  readonly status?: LadderMatch["status"];
};

export interface LadderUpdate {
  readonly version: number;
  readonly changes: readonly LadderChange[];
}

/** Changes carry no standings, so the view is only the version. Fetch what you want to show. */
const ladderKind: RoomKind<number, LadderChange> = {
  name: "ladder",
  isPersonal: false,
  viewIn: ({ version }) => version,
  changesIn: (message) => message.changes as LadderChange[],
  after: (_, { version }) => version,
};

/** One ladder. */
export class LadderHandle {
  readonly id: string;
  readonly #requests: Requests;
  readonly #watches: Watches;
  readonly #clock: Clock;
  readonly #me: () => string | undefined;

  constructor(id: string, requests: Requests, watches: Watches, clock: Clock, me: () => string | undefined) {
    this.id = id;
    this.#requests = requests;
    this.#watches = watches;
    this.#clock = clock;
    this.#me = me;
  }

  get(): Promise<LadderAtVersion> {
    return this.#requests.read(this.#path());
  }

  /** Joins as this person. People who come back keep their rating. */
  async join(): Promise<Enrolled> {
    return (await this.#requests.write<{ player: Enrolled }>(this.#path("/join"))).player;
  }

  /** Leaves as this person. Services and operators can name another player. */
  async leave(player?: string): Promise<void> {
    await this.#requests.write(
      player === undefined ? this.#path("/leave") : this.#playerPath(player, "/leave"),
    );
  }

  /** Ends the ladder permanently; standings and matches stay. For its creator and operators. */
  async end(): Promise<LadderTerms> {
    return (await this.#requests.write<{ ladder: LadderTerms }>(this.#path("/end"))).ladder;
  }

  /** Adds a player. For services and operators. */
  async enrol(player: Enrolment): Promise<Enrolled> {
    return (await this.#requests.write<{ player: Enrolled }>(this.#path("/players"), player)).player;
  }

  /** Removes a player and keeps them from joining again. For the ladder's creator, services and operators. */
  async ban(player: string): Promise<void> {
    await this.#requests.write(this.#playerPath(player, "/ban"));
  }

  async unban(player: string): Promise<void> {
    await this.#requests.write(this.#playerPath(player, "/unban"));
  }

  /** Reports a match. It counts at once, or after the opponent has confirmed it. Retries count once. */
  report(match: NewLadderMatch): Promise<MatchMade> {
    return this.#match("", match);
  }

  confirm(match: string): Promise<MatchMade> {
    return this.#match(`/${encodeURIComponent(match)}/confirm`);
  }

  decline(match: string): Promise<MatchSettled> {
    return this.#match(`/${encodeURIComponent(match)}/decline`);
  }

  /**
   * Takes back a match and recalculates the later ones. For the reporter within the undo window; for the ladder's creator
   * and operators at any time.
   */
  void(match: string): Promise<MatchSettled> {
    return this.#match(`/${encodeURIComponent(match)}/void`);
  }

  /** Lists players by rating, best first. */
  standings(query: StandingsQuery = {}): Promise<Page<"players", LadderPlayer>> {
    return this.#requests.read(this.#path("/standings"), { ...query });
  }

  async player(userId: string): Promise<LadderPlayer> {
    return (await this.#requests.read<{ player: LadderPlayer }>(this.#playerPath(userId))).player;
  }

  /** Finds players whose name begins with `start`. */
  async search(start: string, limit = 10): Promise<readonly LadderPlayer[]> {
    const query = { search: start, limit };
    return (await this.#requests.read<{ players: LadderPlayer[] }>(this.#path("/players"), query)).players;
  }

  /** Lists the changes of a player's rating, newest first. */
  history(userId: string, query: PageQuery = {}): Promise<Page<"history", RatingStep>> {
    return this.#requests.read(this.#playerPath(userId, "/history"), { ...query });
  }

  /** Lists matches, newest first. */
  matches(query: LadderMatchesQuery = {}): Promise<Page<"matches", LadderMatch>> {
    return this.#requests.read(this.#path("/matches"), { ...query });
  }

  async match(match: string): Promise<LadderMatch> {
    const path = this.#path(`/matches/${encodeURIComponent(match)}`);
    return (await this.#requests.read<{ match: LadderMatch }>(path)).match;
  }

  /** A player's record against an opponent. The player defaults to this person. */
  async against(opponent: string, player: string | undefined = this.#me()): Promise<HeadToHead> {
    if (player === undefined)
      throw new OpenseatError(
        "player.missing",
        "This client has no person yet. Call guest() first, or name the player.",
        { status: 400 },
      );
    return this.#requests.read(this.#playerPath(player, `/against/${encodeURIComponent(opponent)}`));
  }

  /**
   * Imports past matches, oldest first: a list, or the text of a CSV file. Reports progress and resolves when all of them
   * count. Sending the same matches again continues the same import.
   */
  async importMatches(
    matches: readonly PastMatch[] | string,
    onProgress: (progress: LadderImport["import"]) => void = () => {},
  ): Promise<LadderImport["import"]> {
    const path = this.#path("/imports");
    const begun =
      typeof matches === "string"
        ? await this.#requests.upload<LadderImport>(path, matches)
        : await this.#requests.write<LadderImport>(path, { matches });
    const poll = () => this.#requests.read<LadderImport>(this.#path(`/imports/${begun.import.id}`));
    return followImport(begun, poll, onProgress, this.#clock);
  }

  /**
   * Calls the listener with the ladder's version and the changes since the last call; the first call has no changes. Use
   * `get` and `standings` for the current data. Returns a function that stops watching.
   */
  watch(
    listener: (version: number, changes: readonly LadderChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(ladderKind, this.id, listener, onRefused);
  }

  /** `watch` as an async iterator. */
  updates(): AsyncIterableIterator<LadderUpdate, undefined> {
    return this.#watches.updates(this.watch.bind(this), (version, changes) => ({ version, changes }));
  }

  async #match<Made>(rest: string, body?: unknown): Promise<Made> {
    return (await this.#requests.write<{ match: Made }>(this.#path(`/matches${rest}`), body)).match;
  }

  #playerPath(userId: string, rest = ""): string {
    return this.#path(`/players/${encodeURIComponent(userId)}${rest}`);
  }

  #path(rest = ""): string {
    return `/api/v1/ladders/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** All ladders. */
export class Ladders {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists ladders, newest first. */
  list(
    query: PageQuery & { readonly status?: Ladder["status"] } = {},
  ): Promise<Page<"ladders", LadderSummary>> {
    return this.#requests.read("/api/v1/ladders", { ...query });
  }

  async create(ladder: NewLadder): Promise<LadderTerms> {
    return (await this.#requests.write<{ ladder: LadderTerms }>("/api/v1/ladders", ladder)).ladder;
  }
}
