import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameNotFound,
  type Millis,
  placesAfter,
  type Refusal,
} from "@openseat/kernel";
import type { NewGame } from "@openseat/protocol";
import { gameChanges } from "../../feed/game-changes.ts";
import {
  canJoinView,
  gameAfter,
  gameListed,
  gameView,
  joinedView,
  participantView,
} from "../../feed/game-views.ts";
import { type FeedMessage, feedMessage, type Lens } from "../../feed/watch.ts";
import type { Entry, Outcome } from "../../host/mailbox.ts";
import type { Streams } from "../../host/streams.ts";
import { type Identity, personOf } from "../auth/identity.ts";
import { type Answer, failure, locatedAt, success } from "../envelope.ts";
import { hasRoom, listRooms, newRoomId, type RoomCreation, type RoomQuery } from "../rooms.ts";
import { ahead } from "../words.ts";

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
    { title, maxPlayers, endTime, waitlist }: NewGame,
    key?: string,
  ): Promise<Answer> {
    const command: GameCommand = {
      type: "create",
      title: title.trim(),
      seats: maxPlayers,
      waitlist: waitlist ?? false,
      endsAt: endTime === undefined ? null : (Date.parse(endTime) as Millis),
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
    const command: GameCommand = { type: "join", person: personOf(identity) };
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
    const command: GameCommand = { type: "end", by: identity.by, asOperator: identity.role === "operator" };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return gameAnswer(outcome, id, 200, "The game has ended.");
  }

  get(id: string): Promise<Answer> {
    return this.#look(id, (room, version) =>
      success(200, "The game.", { game: gameView(id, room), version }),
    );
  }

  async canJoin(identity: Identity, id: string): Promise<Answer> {
    const found = await this.#streams.read(id, (room) => canJoinView(room, personOf(identity)));
    if ("refusal" in found) return failure(found.refusal);
    return success(200, "Join eligibility checked", found.value);
  }

  participants(id: string, after: number, limit: number): Promise<Answer> {
    return this.#look(id, (room) => {
      const places = placesAfter(room, after, limit);
      const last = places.at(-1)?.ticket ?? after;
      return success(200, "The participants, in the order in which they came.", {
        participants: places.map((place) => participantView(id, place)),
        nextCursor: last < room.roster.tickets ? String(last) : null,
      });
    });
  }

  async list(query: RoomQuery): Promise<Answer> {
    const { rooms, nextCursor } = await listRooms(this.#streams, query, gameListed);
    return success(200, "Games, the newest first.", { games: rooms, nextCursor });
  }

  /** How the feed shows a game; a refusal when there is none. */
  async lens(id: string): Promise<Lens | { refusal: Refusal }> {
    const found = await this.#streams.read(id, (room) => room?.terms);
    if ("refusal" in found) return found;
    const terms = found.value;
    if (!terms) return { refusal: gameNotFound };
    return {
      view: () => this.#view(id),
      change: (entry) => {
        const changes = gameChanges(id, terms, entry as Entry<GameEvent>);
        const at = new Date(entry.at).toISOString();
        return feedMessage("change", entry.version, { game: id, at, changes });
      },
    };
  }

  async #view(id: string): Promise<FeedMessage | undefined> {
    const found = await this.#streams.read(id, (room, version) =>
      room ? feedMessage("view", version, { game: gameView(id, room) }) : undefined,
    );
    return "refusal" in found ? undefined : found.value;
  }

  async #look(id: string, look: (room: GameRoom, version: number) => Answer): Promise<Answer> {
    const found = await this.#streams.read(id, (room, version) =>
      room ? look(room, version) : failure(gameNotFound),
    );
    return "refusal" in found ? failure(found.refusal) : found.value;
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
