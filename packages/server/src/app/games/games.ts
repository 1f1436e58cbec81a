import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameNotFound,
  leasedTicketOf,
  type Millis,
  notAParticipant,
  type PersonId,
  placesAfter,
  presentAfter,
  type TicketNumber,
} from "@openseat/kernel";
import type {
  CanJoin,
  GameAtVersion,
  GameList,
  GameOnly,
  Joined,
  NewGame,
  OwnPlace,
  ParticipantList,
} from "@openseat/protocol";
import type { Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import { gameLens } from "../../views/game-lens.ts";
import {
  canJoinView,
  gameAfter,
  gameListed,
  gameView,
  joinedView,
  ownPlaceView,
  participantView,
} from "../../views/game-views.ts";
import { type Identity, personOf } from "../identity.ts";
import { ownName } from "../names.ts";
import { pageOf } from "../paging.ts";
import { type AsyncResult, type Decided, type Refused, type Result, refused } from "../result.ts";
import type { RoomCreation, RoomQuery } from "../rooms/rooms.ts";
import { asked, hasRoom, lensOf, listRooms, newRoomId, readRoom } from "../rooms/rooms.ts";

type GameStreams = Streams<GameRoom, GameCommand, GameEvent>;

interface ParticipantQuery {
  /** The last ticket of the page before. */
  readonly after: number;
  readonly limit: number;
  readonly present: boolean;
}

export class Games {
  readonly #streams: GameStreams;
  readonly #creation: RoomCreation;

  constructor(streams: GameStreams, creation: RoomCreation) {
    this.#streams = streams;
    this.#creation = creation;
  }

  create(identity: Identity, given: NewGame, key?: string): AsyncResult<GameOnly> {
    const { title, maxPlayers, endTime, waitlist = false, heartbeatTimeoutSeconds } = given;
    const command: GameCommand = {
      type: "create",
      title: title.trim(),
      seats: maxPlayers,
      waitlist,
      endsAt: endTime === undefined ? null : (Date.parse(endTime) as Millis),
      ...(heartbeatTimeoutSeconds !== undefined && { heartbeatTimeoutMs: heartbeatTimeoutSeconds * 1000 }),
      creator: identity.by,
    };
    const { idSecret, quota } = this.#creation;
    const id = newRoomId("game", identity, key, idSecret);
    const isThere = () => hasRoom(this.#streams, id);
    return quota.make({ identity, rooms: 1, isThere }, () =>
      asked(this.#streams, id, { command, by: identity.by, key, isNew: true }, gameOnly),
    );
  }

  async join(identity: Identity, id: string, key?: string): AsyncResult<Joined> {
    const person = personOf(identity);
    const command: GameCommand = { type: "join", person, name: ownName(identity.name, person) };
    this.#heartbeat(identity, id);
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key, isNew: true });
    if ("refusal" in outcome) {
      const { refusal } = outcome;
      if (refusal.code !== "room.conflict") return outcome;
      return refused({ ...refusal, message: "Failed to join game. Please try again." });
    }
    const { state, entry, replayed } = outcome;
    return { value: joinedView(id, state.terms, entry), replayed };
  }

  leave(identity: Identity, id: string, key?: string): AsyncResult<GameOnly> {
    return this.#change(identity, id, { type: "leave", person: personOf(identity) }, key);
  }

  end(identity: Identity, id: string, key?: string): AsyncResult<GameOnly> {
    this.#heartbeat(identity, id);
    const { by, role } = identity;
    return this.#change(identity, id, { type: "end", by, asOperator: role === "operator" }, key);
  }

  /** GM10. */
  remove(identity: Identity, id: string, person: PersonId, key?: string): AsyncResult<GameOnly> {
    this.#heartbeat(identity, id);
    const { by, role } = identity;
    return this.#change(identity, id, { type: "remove", person, by, asOperator: role === "operator" }, key);
  }

  get(identity: Identity | null, id: string): AsyncResult<GameAtVersion> {
    return this.#read(identity, id, (room, version) => ({ value: { game: gameView(id, room), version } }));
  }

  canJoin(identity: Identity, id: string): AsyncResult<CanJoin> {
    this.#heartbeat(identity, id);
    return this.#streams.read(id, (room) => canJoinView(room, personOf(identity)));
  }

  /** LS2. */
  heartbeat(identity: Identity, id: string): AsyncResult<OwnPlace> {
    return this.#read(identity, id, (room) => {
      const value = ownPlaceView(id, room, personOf(identity));
      return value ? { value } : refused(notAParticipant);
    });
  }

  participants(
    identity: Identity | null,
    id: string,
    { after, limit, present }: ParticipantQuery,
  ): AsyncResult<ParticipantList> {
    return this.#read(identity, id, (room) => {
      const found = present ? presentAfter(room, after, limit + 1) : placesAfter(room, after, limit + 1);
      const { items, nextCursor } = pageOf(found, limit, ({ ticket }) => ticket);
      const participants = items.map((place) => participantView(id, place, room.names.of(place.ticket)));
      return { value: { participants, nextCursor } };
    });
  }

  /** LS2: a heartbeat until it is released. */
  hold(id: string, ticket: number): { release(): void } {
    return this.#streams.hold(id, ticket as TicketNumber);
  }

  async list(query: RoomQuery): AsyncResult<GameList> {
    const { rooms: games, nextCursor } = await listRooms(this.#streams, query, gameListed);
    return { value: { games, nextCursor } };
  }

  lens(id: string): Promise<Lens | Refused> {
    return lensOf(this.#streams, id, gameNotFound, (terms, read) => gameLens(id, terms, read));
  }

  #change({ by }: Identity, id: string, command: GameCommand, key?: string): AsyncResult<GameOnly> {
    return asked(this.#streams, id, { command, by, key }, gameOnly);
  }

  #read<Value>(
    identity: Identity | null,
    id: string,
    select: (room: GameRoom, version: number) => Result<Value>,
  ): AsyncResult<Value> {
    this.#heartbeat(identity, id);
    return readRoom(this.#streams, id, gameNotFound, select);
  }

  /** LS2: called before anything waits, so that the place does not expire during its own request. */
  #heartbeat(identity: Identity | null, id: string): void {
    if (identity?.role !== "person") return;
    const person = personOf(identity);
    this.#streams.noteHeartbeat(id, (room) => leasedTicketOf(room, person));
  }
}

function gameOnly({ state, entry }: Decided<GameRoom, GameEvent>, id: string): GameOnly {
  return { game: gameAfter(id, state.terms, entry) };
}
