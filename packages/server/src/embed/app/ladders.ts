import type { MatchNumber, PersonId } from "@openseat/kernel";
import {
  type Enrolled,
  Enrolment,
  Id,
  type LadderAtVersion,
  LadderChanges,
  type LadderList,
  LadderListQuery,
  type LadderMatchMade,
  type LadderMatchSettled,
  type LadderTermsOnly,
  NewLadder,
  NewLadderMatch,
  type PlayerBanned,
  type PlayerLeft,
  UserId,
} from "@openseat/protocol";
import { roomPageOf } from "../../transport/http/schemas.ts";
import type { Actor } from "../actor.ts";
import {
  type Answered,
  anyRole,
  type CallOptions,
  type Calls,
  onlyPersons,
  type RoomListQuery,
} from "./calls.ts";
import { LadderBookApi, ladderMatch } from "./ladder-book.ts";

/** Ladders: players, ratings and the matches that count. */
export class LaddersApi extends LadderBookApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    super(calls);
    this.#calls = calls;
  }

  create(actor: Actor, ladder: NewLadder, options?: CallOptions): Answered<LadderTermsOnly> {
    const call = { actor, by: anyRole, options, body: [NewLadder, ladder] } as const;
    return this.#calls.act(call, (app, { who, key, body }) => app.ladders.ladders.create(who, body, key));
  }

  change(actor: Actor, id: string, changes: LadderChanges, options?: CallOptions): Answered<LadderTermsOnly> {
    const call = { ...on(id, actor, options), body: [LadderChanges, changes] } as const;
    return this.#calls.act(call, (app, { who, key, body }) => app.ladders.ladders.change(who, id, body, key));
  }

  end(actor: Actor, id: string, options?: CallOptions): Answered<LadderTermsOnly> {
    return this.#calls.act(on(id, actor, options), (app, { who, key }) =>
      app.ladders.ladders.end(who, id, key),
    );
  }

  join(person: Actor, id: string, options?: CallOptions): Answered<Enrolled> {
    const call = { ...on(id, person, options), by: onlyPersons };
    return this.#calls.act(call, (app, { who, key }) => app.ladders.ladders.join(who, id, key));
  }

  /** Adds another person. On an invite-only ladder, its creator, a service or an operator may. */
  enrol(actor: Actor, id: string, player: Enrolment, options?: CallOptions): Answered<Enrolled> {
    const call = { ...on(id, actor, options), body: [Enrolment, player] } as const;
    return this.#calls.act(call, (app, { who, key, body }) => app.ladders.ladders.enrol(who, id, body, key));
  }

  leave(person: Actor, id: string, options?: CallOptions): Answered<PlayerLeft> {
    const call = { ...on(id, person, options), by: onlyPersons };
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.leave(who, id, who.by as PersonId, key),
    );
  }

  /** Takes a player off the ladder. */
  remove(actor: Actor, id: string, player: string, options?: CallOptions): Answered<PlayerLeft> {
    const call = about(player, id, actor, options);
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.leave(who, id, player as PersonId, key),
    );
  }

  ban(actor: Actor, id: string, player: string, options?: CallOptions): Answered<PlayerBanned> {
    const call = about(player, id, actor, options);
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.ban(who, id, player as PersonId, key),
    );
  }

  unban(actor: Actor, id: string, player: string, options?: CallOptions): Answered<PlayerBanned> {
    const call = about(player, id, actor, options);
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.unban(who, id, player as PersonId, key),
    );
  }

  /** A match between two players. On a ladder that confirms, it counts once the opponent confirms it. */
  report(
    actor: Actor,
    id: string,
    match: NewLadderMatch,
    options: CallOptions = {},
  ): Answered<LadderMatchMade> {
    const call = { ...on(id, actor, options), body: [NewLadderMatch, match] } as const;
    const { address } = options;
    return this.#calls.act(call, (app, { who, key, body }) =>
      app.ladders.ladders.report(who, id, body, { address, key }),
    );
  }

  confirm(person: Actor, id: string, match: string, options?: CallOptions): Answered<LadderMatchMade> {
    const call = { ...settle(match, id, person, options), by: onlyPersons };
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.confirm(who, id, Number(match) as MatchNumber, key),
    );
  }

  decline(person: Actor, id: string, match: string, options?: CallOptions): Answered<LadderMatchSettled> {
    const call = { ...settle(match, id, person, options), by: onlyPersons };
    return this.#calls.act(call, (app, { who, key }) =>
      app.ladders.ladders.decline(who, id, Number(match) as MatchNumber, key),
    );
  }

  void(actor: Actor, id: string, match: string, options?: CallOptions): Answered<LadderMatchSettled> {
    return this.#calls.act(settle(match, id, actor, options), (app, { who, key }) =>
      app.ladders.ladders.void(who, id, Number(match) as MatchNumber, key),
    );
  }

  /** With `viewer`, also the viewer's own standing (`you`). */
  get(id: string, viewer?: Actor): Answered<LadderAtVersion> {
    if (viewer === undefined) return this.#calls.read(taken(id), (app) => app.ladders.ladders.get(null, id));
    return this.#calls.act(on(id, viewer, undefined), (app, { who }) => app.ladders.ladders.get(who, id));
  }

  /** Newest first. */
  list(query?: RoomListQuery): Answered<LadderList> {
    return this.#calls.page([], [LadderListQuery, query], (app, page) =>
      app.ladders.ladders.list(roomPageOf(page)),
    );
  }
}

function taken(id: string) {
  return [[Id, id, "id"]] as const;
}

function on(id: string, actor: Actor, options: CallOptions | undefined) {
  return { actor, by: anyRole, options, takes: taken(id) };
}

function about(player: string, id: string, actor: Actor, options: CallOptions | undefined) {
  return { ...on(id, actor, options), takes: [...taken(id), [UserId, player, "player"] as const] };
}

function settle(match: string, id: string, actor: Actor, options: CallOptions | undefined) {
  return { ...on(id, actor, options), takes: [...taken(id), [ladderMatch, match, "match"] as const] };
}
