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
import type { Asking } from "./asking.ts";
import { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import { followImport } from "./ladder-import.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import type { Clock } from "./platform.ts";

/** A ladder, and the person who asks as a player of it; null for anyone else. */
export interface LadderAtVersion {
  readonly ladder: Ladder;
  readonly you: LadderPlayer | null;
  readonly version: number;
}

/** A row of the list of ladders. */
export type LadderSummary = Omit<Ladder, "pending"> & {
  readonly leader: { readonly name: string; readonly rating: number } | null;
};

/** What a report or a confirmation has come to. */
export type MatchMade = LadderMatchMade["match"];

/** What has become of a match that was declined or taken back, and how many later ones were rated anew. */
export type MatchSettled = Pick<MatchMade, "id" | "status"> & { readonly recounted: number };

export type Enrolled = { readonly userId: string; readonly name: string; readonly rating: number | null };

/** A past match; whoever is no player yet becomes one. */
export interface PastMatch extends NewLadderMatch {
  readonly names?: readonly string[];
  /** When it was played, as ISO 8601 says it. */
  readonly at?: string;
}

/** From a page on, or from a place, counted from 1. */
export type StandingsQuery = PageQuery & { readonly from?: number };

export type LadderMatchesQuery = PageQuery & {
  readonly player?: string;
  readonly opponent?: string;
  readonly status?: LadderMatch["status"];
};

/** A change says what has happened, not how all of it stands: that is asked for, by those who want to see it. */
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
  readonly #asking: Asking;
  readonly #watches: Watches;
  readonly #clock: Clock;
  readonly #me: () => string | undefined;

  constructor(id: string, asking: Asking, watches: Watches, clock: Clock, me: () => string | undefined) {
    this.id = id;
    this.#asking = asking;
    this.#watches = watches;
    this.#clock = clock;
    this.#me = me;
  }

  get(): Promise<LadderAtVersion> {
    return this.#asking.look(this.#path());
  }

  /** As this person. Whoever comes back has the rating they had. */
  async join(): Promise<Enrolled> {
    return (await this.#asking.change<{ player: Enrolled }>(this.#path("/join"))).player;
  }

  /** This person; or another, for services and operators. */
  async leave(player?: string): Promise<void> {
    await this.#asking.change(
      player === undefined ? this.#path("/leave") : this.#playerPath(player, "/leave"),
    );
  }

  /** For good; for the maker of the ladder and operators. Standings and matches stay. */
  async end(): Promise<LadderTerms> {
    return (await this.#asking.change<{ ladder: LadderTerms }>(this.#path("/end"))).ladder;
  }

  /** Somebody else; for services and operators. */
  async enrol(player: Enrolment): Promise<Enrolled> {
    return (await this.#asking.change<{ player: Enrolled }>(this.#path("/players"), player)).player;
  }

  /** They leave, and may not join again; for the maker of the ladder, services and operators. */
  async ban(player: string): Promise<void> {
    await this.#asking.change(this.#playerPath(player, "/ban"));
  }

  async unban(player: string): Promise<void> {
    await this.#asking.change(this.#playerPath(player, "/unban"));
  }

  /** Once, however often the network loses the answer. It counts at once, or when the opponent has confirmed it. */
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
   * As if it had never been: later matches are rated anew. For the person who reported it, for a while; for the maker of the
   * ladder and operators, at any time.
   */
  void(match: string): Promise<MatchSettled> {
    return this.#match(`/${encodeURIComponent(match)}/void`);
  }

  /** By rating, the best first. */
  standings(query: StandingsQuery = {}): Promise<Page<"players", LadderPlayer>> {
    return this.#asking.look(this.#path("/standings"), { ...query });
  }

  async player(userId: string): Promise<LadderPlayer> {
    return (await this.#asking.look<{ player: LadderPlayer }>(this.#playerPath(userId))).player;
  }

  /** Players whose name begins so. */
  async search(start: string, limit = 10): Promise<readonly LadderPlayer[]> {
    const query = { search: start, limit };
    return (await this.#asking.look<{ players: LadderPlayer[] }>(this.#path("/players"), query)).players;
  }

  /** Each step of a player's rating, the newest first. */
  history(userId: string, query: PageQuery = {}): Promise<Page<"history", RatingStep>> {
    return this.#asking.look(this.#playerPath(userId, "/history"), { ...query });
  }

  /** The newest first. */
  matches(query: LadderMatchesQuery = {}): Promise<Page<"matches", LadderMatch>> {
    return this.#asking.look(this.#path("/matches"), { ...query });
  }

  async match(match: string): Promise<LadderMatch> {
    const path = this.#path(`/matches/${encodeURIComponent(match)}`);
    return (await this.#asking.look<{ match: LadderMatch }>(path)).match;
  }

  /** How a player, this person unless one is given, has done against another. */
  async against(opponent: string, player: string | undefined = this.#me()): Promise<HeadToHead> {
    if (player === undefined)
      throw new OpenseatError("player.missing", "This client is nobody yet.", { status: 400 });
    return this.#asking.look(this.#playerPath(player, `/against/${encodeURIComponent(opponent)}`));
  }

  /**
   * Past matches, oldest first: a list, or the text of a CSV file. Calls with how far it is, and resolves when all of it
   * counts. The same matches again are the same import.
   */
  async importMatches(
    matches: readonly PastMatch[] | string,
    onProgress: (progress: LadderImport["import"]) => void = () => {},
  ): Promise<LadderImport["import"]> {
    const path = this.#path("/imports");
    const begun =
      typeof matches === "string"
        ? await this.#asking.upload<LadderImport>(path, matches)
        : await this.#asking.change<LadderImport>(path, { matches });
    const look = () => this.#asking.look<LadderImport>(this.#path(`/imports/${begun.import.id}`));
    return followImport(begun, look, onProgress, this.#clock);
  }

  /**
   * Calls with the version of the ladder and with what has changed since the call before; the first time with nothing
   * changed. How it stands then is for `get` and `standings` to say. Gives back how to stop.
   */
  watch(
    listener: (version: number, changes: readonly LadderChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(ladderKind, this.id, listener, onRefused);
  }

  async #match<Made>(rest: string, body?: unknown): Promise<Made> {
    return (await this.#asking.change<{ match: Made }>(this.#path(`/matches${rest}`), body)).match;
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
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** The newest first. */
  list(
    query: PageQuery & { readonly status?: Ladder["status"] } = {},
  ): Promise<Page<"ladders", LadderSummary>> {
    return this.#asking.look("/api/v1/ladders", { ...query });
  }

  async create(ladder: NewLadder): Promise<LadderTerms> {
    return (await this.#asking.change<{ ladder: LadderTerms }>("/api/v1/ladders", ladder)).ladder;
  }
}
