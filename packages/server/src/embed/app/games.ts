import type { PersonId } from "@openseat/kernel";
import {
  type CanJoin,
  type GameAtVersion,
  type GameList,
  GameListQuery,
  type GameOnly,
  Id,
  type Joined,
  NewGame,
  type OwnPlace,
  type ParticipantList,
  ParticipantListQuery,
  UserId,
} from "@openseat/protocol";
import { pageOf, roomPageOf } from "../../transport/http/schemas.ts";
import type { Actor } from "../actor.ts";
import {
  type Answered,
  anyRole,
  type CallOptions,
  type Calls,
  onlyPersons,
  type PageQuery,
  type RoomListQuery,
} from "./calls.ts";

/** Games: people join until the seats are taken. */
export class GamesApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(actor: Actor, game: NewGame, options?: CallOptions): Answered<GameOnly> {
    const call = { actor, by: anyRole, options, body: [NewGame, game] } as const;
    return this.#calls.act(call, ({ games }, { who, key, body }) => games.create(who, body, key));
  }

  join(person: Actor, id: string, options?: CallOptions): Answered<Joined> {
    return this.#calls.act(own(person, id, options), ({ games }, { who, key }) => games.join(who, id, key));
  }

  leave(person: Actor, id: string, options?: CallOptions): Answered<GameOnly> {
    return this.#calls.act(own(person, id, options), ({ games }, { who, key }) => games.leave(who, id, key));
  }

  heartbeat(person: Actor, id: string): Answered<OwnPlace> {
    return this.#calls.act(own(person, id), ({ games }, { who }) => games.heartbeat(who, id));
  }

  canJoin(person: Actor, id: string): Answered<CanJoin> {
    return this.#calls.act(own(person, id), ({ games }, { who }) => games.canJoin(who, id));
  }

  /** For the creator of the game, and for operators. */
  end(actor: Actor, id: string, options?: CallOptions): Answered<GameOnly> {
    const call = { actor, by: anyRole, options, takes: taken(id) };
    return this.#calls.act(call, ({ games }, { who, key }) => games.end(who, id, key));
  }

  /** For the creator of the game, and for operators. */
  remove(actor: Actor, id: string, userId: string, options?: CallOptions): Answered<GameOnly> {
    const takes = [...taken(id), [UserId, userId, "userId"] as const];
    const call = { actor, by: anyRole, options, takes };
    return this.#calls.act(call, ({ games }, { who, key }) => games.remove(who, id, userId as PersonId, key));
  }

  get(id: string): Answered<GameAtVersion> {
    return this.#calls.read(taken(id), ({ games }) => games.get(null, id));
  }

  participants(id: string, query?: PageQuery & { readonly present?: boolean }): Answered<ParticipantList> {
    return this.#calls.page(taken(id), [ParticipantListQuery, query], ({ games }, { present, ...page }) => {
      const { cursor: after = 0, limit } = pageOf(page);
      return games.participants(null, id, { after, limit, present: present ?? false });
    });
  }

  /** Newest first. */
  list(query?: RoomListQuery): Answered<GameList> {
    return this.#calls.page([], [GameListQuery, query], ({ games }, page) => games.list(roomPageOf(page)));
  }
}

function taken(id: string) {
  return [[Id, id, "id"]] as const;
}

function own(actor: Actor, id: string, options?: CallOptions) {
  return { actor, by: onlyPersons, options, takes: taken(id) };
}
