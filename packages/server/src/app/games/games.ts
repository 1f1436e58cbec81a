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
import type { NewGame } from "@openseat/protocol";
import type { Lens } from "../../feed/watch.ts";
import type { Outcome } from "../../host/stream/asks.ts";
import type { Streams } from "../../host/streams.ts";
import { type Answer, failure, locatedAt, success } from "../../transport/http/envelope.ts";
import { ahead } from "../../transport/http/words.ts";
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
import { hasRoom, listRooms, newRoomId, type RoomCreation, type RoomQuery } from "../rooms/rooms.ts";

interface ParticipantQuery {
  /** The last ticket of the page before. */
  readonly after: number;
  readonly limit: number;
  /** Only those who are in the game now. */
  readonly present: boolean;
}

/** What can be asked of games, by HTTP and by live message alike. */
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
  ): Promise<Answer> {
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
      return locatedAt(`/api/v1/games/${id}`, gameAnswer(outcome, id, 201, "The game is open."));
    });
  }

  async join(identity: Identity, id: string, key?: string): Promise<Answer> {
    const person = personOf(identity);
    const command: GameCommand = { type: "join", person, name: ownName(identity.name, person) };
    this.#hear(identity, id);
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key, isNew: true });
    if ("refusal" in outcome) return failure(refusedJoin(outcome.refusal));
    const data = joinedView(id, outcome.state.terms, outcome.entry);
    const { yourPosition, currentPlayers, maxPlayers } = data.game;
    const message =
      data.participant.status === "ACTIVE"
        ? "Successfully joined the game"
        : `The game is full (${currentPlayers} of ${maxPlayers}). You wait in line: ${ahead(yourPosition - 1)}.`;
    return success(200, message, data, outcome.replayed);
  }

  async leave(identity: Identity, id: string, key?: string): Promise<Answer> {
    const command: GameCommand = { type: "leave", person: personOf(identity) };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAnswer(outcome, id, 200, "Successfully left the game");
  }

  async end(identity: Identity, id: string, key?: string): Promise<Answer> {
    this.#hear(identity, id);
    const command: GameCommand = { type: "end", by: identity.by, asOperator: identity.role === "operator" };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAnswer(outcome, id, 200, "The game has ended.");
  }

  /** GM10. */
  async remove(identity: Identity, id: string, person: PersonId, key?: string): Promise<Answer> {
    const asOperator = identity.role === "operator";
    this.#hear(identity, id);
    const command: GameCommand = { type: "remove", person, by: identity.by, asOperator };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAnswer(outcome, id, 200, "This person is no longer in the game.");
  }

  get(identity: Identity | null, id: string): Promise<Answer> {
    return this.#look(identity, id, (room, version) =>
      success(200, "The game.", { game: gameView(id, room), version }),
    );
  }

  async canJoin(identity: Identity, id: string): Promise<Answer> {
    this.#hear(identity, id);
    const found = await this.#streams.read(id, (room) => canJoinView(room, personOf(identity)));
    if ("refusal" in found) return failure(found.refusal);
    return success(200, "Join eligibility checked", found.value);
  }

  /** LS2: says that the person is still there, and tells what place that is. */
  heartbeat(identity: Identity, id: string): Promise<Answer> {
    return this.#look(identity, id, (room) => {
      const data = ownPlaceView(id, room, personOf(identity));
      return data ? success(200, "You are in this game.", data) : failure(notAParticipant);
    });
  }

  participants(identity: Identity | null, id: string, query: ParticipantQuery): Promise<Answer> {
    const { after, limit, present } = query;
    return this.#look(identity, id, (room) => {
      const found = present ? presentAfter(room, after, limit + 1) : placesAfter(room, after, limit + 1);
      const places = found.slice(0, limit);
      return success(200, "The participants, in the order in which they came.", {
        participants: places.map((place) => participantView(id, place, room.names.of(place.ticket))),
        nextCursor: found.length > limit ? String(places[limit - 1].ticket) : null,
      });
    });
  }

  /** LS2: a heartbeat for as long as it is held. */
  hold(id: string, ticket: number): { release(): void } {
    return this.#streams.hold(id, ticket as TicketNumber);
  }

  async list(query: RoomQuery): Promise<Answer> {
    const { rooms, nextCursor } = await listRooms(this.#streams, query, gameListed);
    return success(200, "Games, the newest first.", { games: rooms, nextCursor });
  }

  /** How the feed shows a game; a refusal when there is none. */
  async lens(id: string): Promise<Lens | { refusal: Refusal }> {
    const found = await this.#streams.read(id, (room) => room?.terms);
    if ("refusal" in found) return found;
    if (!found.value) return { refusal: gameNotFound };
    return gameLens(id, found.value, async (look) => {
      const seen = await this.#streams.read(id, look);
      return "refusal" in seen ? undefined : seen.value;
    });
  }

  async #look(
    identity: Identity | null,
    id: string,
    look: (room: GameRoom, version: number) => Answer,
  ): Promise<Answer> {
    this.#hear(identity, id);
    const found = await this.#streams.read(id, (room, version) =>
      room ? look(room, version) : failure(gameNotFound),
    );
    return "refusal" in found ? failure(found.refusal) : found.value;
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
function gameAnswer(outcome: Outcome<GameRoom, GameEvent>, id: string, status: number, text: string): Answer {
  if ("refusal" in outcome) return failure(outcome.refusal);
  const { state, entry, replayed } = outcome;
  return success(status, text, { game: gameAfter(id, state.terms, entry) }, replayed);
}
