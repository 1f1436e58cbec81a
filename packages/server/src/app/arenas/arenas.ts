import { randomInt } from "node:crypto";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaExists,
  arenaNotFound,
  type MatchId,
  type PersonId,
  placeIn,
  type TicketNumber,
} from "@openseat/kernel";
import type {
  ArenaAtVersion,
  ArenaChanges,
  ArenaJoined,
  ArenaLeft,
  ArenaList,
  ArenaTermsOnly,
  MoveMade,
  NewArena,
  NewMove,
  NewResult,
  Resignation,
} from "@openseat/protocol";
import type { Lens } from "../../feed/watch.ts";
import type { Ask } from "../../host/stream/asks.ts";
import type { Streams } from "../../host/streams.ts";
import { arenaLens } from "../../views/arena-lens.ts";
import {
  arenaJoinedView,
  arenaListed,
  arenaTermsView,
  arenaView,
  moveMadeView,
} from "../../views/arena-views.ts";
import { type Identity, personOf } from "../identity.ts";
import type { LadderStreams } from "../ladders/ladders.ts";
import { shownName } from "../names.ts";
import { lanesFrom } from "../queues/given-lanes.ts";
import { type AsyncResult, answered, type Decided, type Refused, type Result, refused } from "../result.ts";
import type { RoomCreation, RoomQuery } from "../rooms/rooms.ts";
import { asked, hasRoom, idObstacle, lensOf, listRooms, newRoomId, readRoom } from "../rooms/rooms.ts";
import { ArenaRating, ratedArenas } from "./arena-rating.ts";
import { arenaDefaults, faultIn, settingsFrom } from "./arena-settings.ts";

export type ArenaStreams = Streams<ArenaRoom, ArenaCommand, ArenaEvent>;

const seedBound = 2 ** 32;

const onlyLane = [{ name: "normal", skips: 0, immediate: false }];

export class Arenas {
  readonly #streams: ArenaStreams;
  readonly #rating: ArenaRating;
  readonly #creation: RoomCreation;

  constructor(streams: ArenaStreams, ladders: LadderStreams, creation: RoomCreation) {
    this.#streams = streams;
    this.#rating = new ArenaRating(streams, ladders);
    this.#creation = creation;
  }

  async create(identity: Identity, given: NewArena, key?: string): AsyncResult<ArenaTermsOnly> {
    const { idSecret, quota } = this.#creation;
    const fault = faultIn(given) ?? idObstacle("arena", identity, given.id, this.#creation);
    if (fault) return refused(fault);
    const forbidden = await this.#rating.obstacle(identity, given.ladder);
    if (forbidden) return refused(forbidden);
    const id = given.id ?? newRoomId("arena", identity, key, idSecret);
    const arenas = ratedArenas(id, given);
    const [first, ...others] = arenas;
    // A request repeated with its key finds the first arena here and creates the missing ones.
    if (others.length > 0 && !(await this.#isTaken([first])) && (await this.#isTaken(others)))
      return refused(arenaExists);
    const isThere = () => this.#isTaken([first]);
    return quota.make({ identity, rooms: arenas.length, isThere }, () =>
      this.#createAll(identity, arenas, key),
    );
  }

  async #createAll(
    { by }: Identity,
    arenas: ReturnType<typeof ratedArenas>,
    key: string | undefined,
  ): AsyncResult<ArenaTermsOnly> {
    const made: Result<ArenaTermsOnly>[] = [];
    // In order and under the same key: after a crash in between, a retry creates the missing ones.
    for (const { arena, given, rated } of arenas) {
      const command = { ...newArenaCommand(given, by), ...(rated && { rated }) };
      const result = await asked(this.#streams, arena, { command, by, key, isNew: true }, termsAfter);
      if ("refusal" in result) return result;
      made.push(result);
    }
    return made[0];
  }

  change({ by, role }: Identity, id: string, given: ArenaChanges, key?: string): AsyncResult<ArenaTermsOnly> {
    const changes = settingsFrom(given);
    const command: ArenaCommand = { type: "configure", changes, by, asOperator: role === "operator" };
    return asked(this.#streams, id, { command, by, key }, termsAfter);
  }

  end({ by, role }: Identity, id: string, key?: string): AsyncResult<ArenaTermsOnly> {
    const command: ArenaCommand = { type: "end", by, asOperator: role === "operator" };
    return asked(this.#streams, id, { command, by, key }, ({ state: { terms, settings } }) => ({
      arena: arenaTermsView(id, terms, settings),
    }));
  }

  async join(identity: Identity, id: string, key?: string): AsyncResult<ArenaJoined> {
    const lane = await this.#laneFor(identity, id);
    if ("refusal" in lane) return lane;
    const person = personOf(identity);
    const rating = await this.#rating.of(id, person);
    if (typeof rating === "object") return rating;
    const name = shownName(identity.name, person);
    const command: ArenaCommand = { type: "join", person, name, lane: lane.value, rating };
    return this.#play(identity, id, { command, by: identity.by, key, isNew: true }, arenaJoinedView);
  }

  leave(identity: Identity, id: string, key?: string): AsyncResult<ArenaLeft> {
    const person = personOf(identity);
    const command: ArenaCommand = { type: "leave", person };
    return asked(this.#streams, id, { command, by: identity.by, key }, ({ entry }) => {
      // Search by name: the winner's opponent may leave a seat in the same entry, and earlier in it (AR7).
      const left = entry.events.filter((event) => event.type === "left");
      return { ticket: left.find((event) => event.person === person)!.ticket };
    });
  }

  move(identity: Identity, id: string, { match, turn, move }: NewMove, key?: string): AsyncResult<MoveMade> {
    const person = personOf(identity);
    return this.#playIn(
      match,
      identity,
      id,
      { type: "move", person, match: matchId(match), turn, move },
      key,
    );
  }

  resign(identity: Identity, id: string, { match }: Resignation, key?: string): AsyncResult<MoveMade> {
    const person = personOf(identity);
    return this.#playIn(match, identity, id, { type: "resign", person, match: matchId(match) }, key);
  }

  /** AR10: the route admits services only. */
  report(identity: Identity, id: string, { match, winner }: NewResult, key?: string): AsyncResult<MoveMade> {
    return this.#playIn(match, identity, id, { type: "report", match: matchId(match), winner }, key);
  }

  /** LS1: a heartbeat of the viewer's own place. */
  async get(identity: Identity | null, id: string): AsyncResult<ArenaAtVersion> {
    const viewer = identity?.role === "person" ? personOf(identity) : undefined;
    if (viewer !== undefined) this.#heartbeat(id, viewer);
    const found = await readRoom(this.#streams, id, arenaNotFound, (room, version) => ({
      value: arenaView(id, room, version, viewer),
    }));
    if (viewer !== undefined) this.#heartbeat(id, viewer);
    return found;
  }

  async list(query: RoomQuery): AsyncResult<ArenaList> {
    const { rooms: arenas, nextCursor } = await listRooms(this.#streams, query, arenaListed);
    return { value: { arenas, nextCursor } };
  }

  lens(id: string): Promise<Lens | Refused> {
    return lensOf(this.#streams, id, arenaNotFound, (terms, read) => arenaLens(id, terms, read));
  }

  /** Counts as a heartbeat until it is released. */
  hold(id: string, ticket: number): { release(): void } {
    return this.#streams.hold(id, ticket as TicketNumber);
  }

  async #isTaken(arenas: readonly { readonly arena: string }[]): Promise<boolean> {
    const found = await Promise.all(arenas.map(({ arena }) => hasRoom(this.#streams, arena)));
    return found.includes(true);
  }

  #playIn(match: string, identity: Identity, id: string, command: ArenaCommand, key?: string) {
    return this.#play(identity, id, { command, by: identity.by, key }, ({ state, entry }) =>
      moveMadeView(state.terms, match, entry),
    );
  }

  /**
   * LS1: a request about one's own place is a heartbeat, also if it is refused. It counts before the request waits, or the place
   * could expire meanwhile; and again afterwards, because a node that had to load the arena did not know the place before.
   */
  async #play<Value>(
    identity: Identity,
    id: string,
    ask: Ask<ArenaCommand>,
    show: (decided: Decided<ArenaRoom, ArenaEvent>) => Value,
  ): AsyncResult<Value> {
    const person = personOf(identity);
    this.#heartbeat(id, person);
    const outcome = await this.#streams.ask(id, ask);
    this.#heartbeat(id, person);
    return answered(outcome, show);
  }

  #heartbeat(id: string, person: PersonId): void {
    this.#streams.noteHeartbeat(id, (room) => placeIn(room, person)?.ticket);
  }

  /** LN9: by the signed claim, where the arena has lanes at all. */
  async #laneFor({ lane }: Identity, id: string): AsyncResult<number> {
    if (lane === undefined) return { value: 0 };
    return readRoom(this.#streams, id, arenaNotFound, ({ terms: { lanes } }) => {
      if (lanes.length === 1) return { value: 0 };
      const number = typeof lane === "number" ? lane : lanes.findIndex(({ name }) => name === lane);
      if (lanes[number]) return { value: number };
      const message = `This arena has the lanes ${lanes.map(({ name }) => name).join(", ")}.`;
      return refused({ code: "lane.unknown", message, data: { lane } });
    });
  }
}

function matchId(match: string): MatchId {
  return Number(match) as MatchId;
}

/** The command that creates an arena, with defaults for missing settings. */
export function newArenaCommand(given: NewArena, creator: string): Extract<ArenaCommand, { type: "create" }> {
  const { game, options = {}, labels, lanes } = given;
  const settings = { seats: undefined, ...arenaDefaults(game), ...settingsFrom(given) };
  return {
    type: "create",
    ...{ game, options, labels, settings, creator },
    lanes: lanes ? lanesFrom(lanes) : onlyLane,
    seed: randomInt(seedBound),
  } as Extract<ArenaCommand, { type: "create" }>;
}

function termsAfter({ state, entry }: Decided<ArenaRoom, ArenaEvent>, id: string): ArenaTermsOnly {
  const [event] = entry.events;
  if (event.type !== "created" && event.type !== "configured")
    throw new Error("The entry of an arena's change has no settings.");
  return { arena: arenaTermsView(id, state.terms, event.settings) };
}
