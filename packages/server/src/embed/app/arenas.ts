import {
  type ArenaAtVersion,
  ArenaChanges,
  type ArenaJoined,
  type ArenaLeft,
  type ArenaList,
  ArenaListQuery,
  type ArenaTermsOnly,
  Id,
  type MatchList,
  MatchListQuery,
  type MoveMade,
  NewArena,
  NewMove,
  NewResult,
  type Replay,
  Resignation,
} from "@openseat/protocol";
import { pageOf, roomPageOf } from "../../transport/http/schemas.ts";
import type { Actor, service } from "../actor.ts";
import {
  type Answered,
  anyRole,
  type CallOptions,
  type Calls,
  onlyPersons,
  onlyServices,
  type PageQuery,
  type RoomListQuery,
} from "./calls.ts";

/** Arenas: the winner stays, and the front of the line is next. */
export class ArenasApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  create(actor: Actor, arena: NewArena, options?: CallOptions): Answered<ArenaTermsOnly> {
    const call = { actor, by: anyRole, options, body: [NewArena, arena] } as const;
    return this.#calls.act(call, ({ arenas }, { who, key, body }) => arenas.create(who, body, key));
  }

  /** For the creator of the arena, and for operators. */
  change(actor: Actor, id: string, changes: ArenaChanges, options?: CallOptions): Answered<ArenaTermsOnly> {
    const call = { actor, by: anyRole, options, takes: taken(id), body: [ArenaChanges, changes] } as const;
    return this.#calls.act(call, ({ arenas }, { who, key, body }) => arenas.change(who, id, body, key));
  }

  /** For the creator of the arena, and for operators. */
  end(actor: Actor, id: string, options?: CallOptions): Answered<ArenaTermsOnly> {
    const call = { actor, by: anyRole, options, takes: taken(id) };
    return this.#calls.act(call, ({ arenas }, { who, key }) => arenas.end(who, id, key));
  }

  join(person: Actor, id: string, options?: CallOptions): Answered<ArenaJoined> {
    const call = own(person, id, options);
    return this.#calls.act(call, ({ arenas }, { who, key }) => arenas.join(who, id, key));
  }

  leave(person: Actor, id: string, options?: CallOptions): Answered<ArenaLeft> {
    const call = own(person, id, options);
    return this.#calls.act(call, ({ arenas }, { who, key }) => arenas.leave(who, id, key));
  }

  move(person: Actor, id: string, move: NewMove, options?: CallOptions): Answered<MoveMade> {
    const call = { ...own(person, id, options), body: [NewMove, move] } as const;
    return this.#calls.act(call, ({ arenas }, { who, key, body }) => arenas.move(who, id, body, key));
  }

  resign(person: Actor, id: string, given: Resignation, options?: CallOptions): Answered<MoveMade> {
    const call = { ...own(person, id, options), body: [Resignation, given] } as const;
    return this.#calls.act(call, ({ arenas }, { who, key, body }) => arenas.resign(who, id, body, key));
  }

  /** The result of a match that is played elsewhere. */
  report(actor: typeof service, id: string, result: NewResult, options?: CallOptions): Answered<MoveMade> {
    const call = { actor, by: onlyServices, options, takes: taken(id), body: [NewResult, result] } as const;
    return this.#calls.act(call, ({ arenas }, { who, key, body }) => arenas.report(who, id, body, key));
  }

  /** As `viewer` sees it, or as everybody does. A viewer's own request is a heartbeat. */
  get(id: string, viewer?: Actor): Answered<ArenaAtVersion> {
    if (viewer === undefined) return this.#calls.read(taken(id), ({ arenas }) => arenas.get(null, id));
    const call = { actor: viewer, by: anyRole, takes: taken(id) };
    return this.#calls.act(call, ({ arenas }, { who }) => arenas.get(who, id));
  }

  /** Newest first. */
  list(query?: RoomListQuery): Answered<ArenaList> {
    return this.#calls.page([], [ArenaListQuery, query], ({ arenas }, page) => arenas.list(roomPageOf(page)));
  }

  /** Finished matches, newest first. */
  matches(id: string, query?: PageQuery): Answered<MatchList> {
    return this.#calls.page(taken(id), [MatchListQuery, query], ({ matches }, page) => {
      const { cursor, limit } = pageOf(page);
      return matches.list(id, cursor, limit);
    });
  }

  /** A finished match from the first move to the last. */
  replay(id: string, match: string): Answered<Replay> {
    const takes = [...taken(id), [NewMove.properties.match, match, "match"] as const];
    return this.#calls.read(takes, async ({ matches }) => {
      const found = await matches.replay(id, Number(match));
      if ("refusal" in found) return found;
      const { pages, ...replay } = found;
      const moves: Replay["moves"] = [];
      for await (const page of pages) moves.push(...page);
      return { value: { ...replay, moves } };
    });
  }
}

function taken(id: string) {
  return [[Id, id, "id"]] as const;
}

function own(actor: Actor, id: string, options: CallOptions | undefined) {
  return { actor, by: onlyPersons, options, takes: taken(id) };
}
