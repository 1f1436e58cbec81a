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
  type Refusal,
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
import type { Outcome } from "../../host/stream/asks.ts";
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
import { type Refused, type Result, refused } from "../result.ts";
import {
  hasRoom,
  listRooms,
  lookAt,
  lookFor,
  newRoomId,
  type RoomCreation,
  type RoomQuery,
} from "../rooms/rooms.ts";

interface ParticipantQuery {
  /** The last ticket of the page before. */
  readonly after: number;
  readonly limit: number;
  /** Only those who are in the game now. */
  readonly present: boolean;
}

/** What can be asked of games. */
export class Games {
  readonly #streams: Streams<GameRoom, GameCommand, GameEvent>;
  readonly #creation: RoomCreation;

  constructor(streams: Streams<GameRoom, GameCommand, GameEvent>, creation: RoomCreation) {
    this.#streams = streams;
    this.#creation = creation;
  }

  async create(
    identity: Identity,
    { title, maxPlayers, endTime, waitlist, heartbeatTimeoutSeconds }: NewGame,
    key?: string,
  ): Promise<Result<GameOnly>> {
    const command: GameCommand = {
      type: "create",
      title: title.trim(),
      seats: maxPlayers,
      waitlist: waitlist ?? false,
      endsAt: endTime === undefined ? null : (Date.parse(endTime) as Millis),
      ...(heartbeatTimeoutSeconds !== undefined && { heartbeatTimeoutMs: heartbeatTimeoutSeconds * 1000 }),
      creator: identity.by,
    };
    const { idSecret, quota } = this.#creation;
    const id = newRoomId("game", identity, key, idSecret);
    const isThere = () => hasRoom(this.#streams, id);
    return quota.make({ identity, rooms: 1, isThere }, async () => {
      const outcome = await this.#streams.ask(id, { command, by: identity.by, key, isNew: true });
      return gameAfterEntry(outcome, id);
    });
  }

  async join(identity: Identity, id: string, key?: string): Promise<Result<Joined>> {
    const person = personOf(identity);
    const command: GameCommand = { type: "join", person, name: ownName(identity.name, person) };
    this.#hear(identity, id);
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key, isNew: true });
    if ("refusal" in outcome) return refused(refusedJoin(outcome.refusal));
    const { state, entry, replayed } = outcome;
    return { value: joinedView(id, state.terms, entry), replayed };
  }

  async leave(identity: Identity, id: string, key?: string): Promise<Result<GameOnly>> {
    const command: GameCommand = { type: "leave", person: personOf(identity) };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAfterEntry(outcome, id);
  }

  async end(identity: Identity, id: string, key?: string): Promise<Result<GameOnly>> {
    this.#hear(identity, id);
    const command: GameCommand = { type: "end", by: identity.by, asOperator: identity.role === "operator" };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAfterEntry(outcome, id);
  }

  /** GM10. */
  async remove(identity: Identity, id: string, person: PersonId, key?: string): Promise<Result<GameOnly>> {
    const asOperator = identity.role === "operator";
    this.#hear(identity, id);
    const command: GameCommand = { type: "remove", person, by: identity.by, asOperator };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAfterEntry(outcome, id);
  }

  get(identity: Identity | null, id: string): Promise<Result<GameAtVersion>> {
    return this.#look(identity, id, (room, version) => ({ value: { game: gameView(id, room), version } }));
  }

  canJoin(identity: Identity, id: string): Promise<Result<CanJoin>> {
    this.#hear(identity, id);
    return this.#streams.read(id, (room) => canJoinView(room, personOf(identity)));
  }

  /** LS2: says that the person is still there, and tells what place that is. */
  heartbeat(identity: Identity, id: string): Promise<Result<OwnPlace>> {
    return this.#look(identity, id, (room) => {
      const value = ownPlaceView(id, room, personOf(identity));
      return value ? { value } : refused(notAParticipant);
    });
  }

  participants(
    identity: Identity | null,
    id: string,
    { after, limit, present }: ParticipantQuery,
  ): Promise<Result<ParticipantList>> {
    return this.#look(identity, id, (room) => {
      const found = present ? presentAfter(room, after, limit + 1) : placesAfter(room, after, limit + 1);
      const places = found.slice(0, limit);
      const participants = places.map((place) => participantView(id, place, room.names.of(place.ticket)));
      const nextCursor = found.length > limit ? String(places[limit - 1].ticket) : null;
      return { value: { participants, nextCursor } };
    });
  }

  /** LS2: a heartbeat for as long as it is held. */
  hold(id: string, ticket: number): { release(): void } {
    return this.#streams.hold(id, ticket as TicketNumber);
  }

  async list(query: RoomQuery): Promise<Result<GameList>> {
    const { rooms: games, nextCursor } = await listRooms(this.#streams, query, gameListed);
    return { value: { games, nextCursor } };
  }

  /** How the feed shows a game; a refusal when there is none. */
  async lens(id: string): Promise<Lens | Refused> {
    const found = await lookAt(this.#streams, id, gameNotFound, ({ terms }) => ({ value: terms }));
    return "refusal" in found ? found : gameLens(id, found.value, lookFor(this.#streams, id));
  }

  #look<Value>(
    identity: Identity | null,
    id: string,
    look: (room: GameRoom, version: number) => Result<Value>,
  ): Promise<Result<Value>> {
    this.#hear(identity, id);
    return lookAt(this.#streams, id, gameNotFound, look);
  }

  /** LS2: any request of a person is a heartbeat of their place. At once: what is decided while the request waits has to count it. */
  #hear(identity: Identity | null, id: string): void {
    if (identity?.role !== "person") return;
    const person = personOf(identity);
    this.#streams.heard(id, (room) => leasedTicketOf(room, person));
  }
}

/** In the words of the design document; the host says the same of every kind of room. */
function refusedJoin(refusal: Refusal): Refusal {
  if (refusal.code !== "room.conflict") return refusal;
  return { ...refusal, message: "Failed to join game. Please try again." };
}

/** The game as the entry left it, or why there is none. */
function gameAfterEntry(outcome: Outcome<GameRoom, GameEvent>, id: string): Result<GameOnly> {
  if ("refusal" in outcome) return outcome;
  const { state, entry, replayed } = outcome;
  return { value: { game: gameAfter(id, state.terms, entry) }, replayed };
}
