import {
  type Asker,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  type Listing,
  ladderNotFound,
  type MatchNumber,
  type PersonId,
  playerCalled,
  standingOf,
} from "@openseat/kernel";
import type {
  Enrolled,
  Enrolment,
  LadderAtVersion,
  LadderChanges,
  LadderList,
  LadderMatchMade,
  LadderMatchSettled,
  LadderTermsOnly,
  NewLadder,
  NewLadderMatch,
  PlayerBanned,
  PlayerLeft,
} from "@openseat/protocol";
import type { Lens } from "../../feed/watch.ts";
import type { Streams } from "../../host/streams.ts";
import { ladderLens } from "../../views/ladder-changes.ts";
import {
  ladderListed,
  ladderTermsView,
  ladderView,
  makerListed,
  matchMadeView,
  playerView,
} from "../../views/ladder-views.ts";
import { type Identity, personOf } from "../identity.ts";
import { shownName } from "../names.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type AsyncResult, answered, type Decided, type Refused, refused } from "../result.ts";
import type { RoomCreation, RoomQuery } from "../rooms/rooms.ts";
import { hasRoom, idObstacle, lensOf, listRooms, newRoomId, readRoom } from "../rooms/rooms.ts";
import { faultIn, ladderDefaults, ratingTerms, settingsFrom } from "./ladder-settings.ts";

export type LadderStreams = Streams<Ladder, LadderCommand, LadderEvent>;

/** A person's nickname in the directory, or null. */
type NicknameOf = (person: PersonId) => Promise<string | null>;

type EventOf<Type extends LadderEvent["type"]> = Extract<LadderEvent, { readonly type: Type }>;
type LadderDecided = Decided<Ladder, LadderEvent>;

export interface LaddersDeps {
  readonly streams: LadderStreams;
  readonly nicknameOf: NicknameOf;
  readonly creation: RoomCreation;
  readonly networks: NetworkHashes;
  /** CH6: whether a ladder is left out of the list. It can still be opened by its id. */
  readonly isUnlisted: (id: string, creator: string) => boolean;
}

/** Changes of ladders; `LadderBook` has the reads. */
export class Ladders {
  readonly #deps: LaddersDeps;

  constructor(deps: LaddersDeps) {
    this.#deps = deps;
  }

  async create(identity: Identity, given: NewLadder, key?: string): AsyncResult<LadderTermsOnly> {
    const { streams, creation } = this.#deps;
    const { idSecret, quota } = creation;
    const fault = faultIn(given) ?? idObstacle("ladder", identity, given.id, creation);
    if (fault) return refused(fault);
    // LD9: anyone may join an open ladder and could then report matches that were never played.
    const isForStrangers = identity.role === "person" && given.open !== false;
    const command: LadderCommand = {
      ...newLadderCommand({ confirm: isForStrangers, ...given }, identity.by),
      ...(given.confirm === undefined && { formerDefaults: { confirm: false } }),
    };
    const id = given.id ?? newRoomId("ladder", identity, key, idSecret);
    const isThere = () => hasRoom(streams, id);
    return quota.make({ identity, rooms: 1, isThere }, () => this.#configure(identity, id, command, key));
  }

  change(identity: Identity, id: string, given: LadderChanges, key?: string): AsyncResult<LadderTermsOnly> {
    const changes = settingsFrom(given);
    return this.#configure(identity, id, { type: "configure", changes, asker: askerOf(identity) }, key);
  }

  #configure(identity: Identity, id: string, command: LadderCommand, key?: string) {
    return this.#ask(identity, id, command, key, ({ state, entry }) => {
      const { settings } = entry.events[0] as EventOf<"created" | "configured">;
      return { ladder: ladderTermsView(id, state.terms, settings) };
    });
  }

  /** RM8. */
  end(identity: Identity, id: string, key?: string): AsyncResult<LadderTermsOnly> {
    return this.#ask(identity, id, { type: "end", asker: askerOf(identity) }, key, ({ state }) => ({
      ladder: ladderTermsView(id, state.terms, state.settings),
    }));
  }

  /** Under the person's nickname, if they have one. */
  async join(identity: Identity, id: string, key?: string): AsyncResult<Enrolled> {
    const person = personOf(identity);
    const name = (await this.#deps.nicknameOf(person)) ?? shownName(identity.name, person);
    return this.#enrol(identity, id, { person, name, rating: undefined }, key);
  }

  /** Enrols another person. The caller must be allowed to enrol others. */
  enrol(identity: Identity, id: string, given: Enrolment, key?: string): AsyncResult<Enrolled> {
    const { userId, name, rating } = given;
    const player = { person: userId as PersonId, name: shownName(name, userId), rating };
    return this.#enrol(identity, id, { ...player, keepsName: name === undefined }, key);
  }

  #enrol(
    identity: Identity,
    id: string,
    player: { person: PersonId; name: string; keepsName?: boolean; rating: number | undefined },
    key?: string,
  ): AsyncResult<Enrolled> {
    const command: LadderCommand = { type: "enrol", ...player, asker: askerOf(identity) };
    return this.#ask(identity, id, command, key, ({ entry }) => {
      const event = entry.events[0] as EventOf<"enrolled" | "returned">;
      const rating = event.type === "enrolled" ? event.rating : null;
      return { player: { userId: player.person, name: event.name, rating } };
    });
  }

  leave(identity: Identity, id: string, person: PersonId, key?: string): AsyncResult<PlayerLeft> {
    const command: LadderCommand = { type: "leave", person, asker: askerOf(identity) };
    return this.#ask(identity, id, command, key, () => ({ userId: person }));
  }

  ban(identity: Identity, id: string, person: PersonId, key?: string): AsyncResult<PlayerBanned> {
    const command: LadderCommand = { type: "ban", person, asker: askerOf(identity) };
    return this.#ask(identity, id, command, key, () => ({ userId: person, banned: true }));
  }

  unban(identity: Identity, id: string, person: PersonId, key?: string): AsyncResult<PlayerBanned> {
    const command: LadderCommand = { type: "unban", person, asker: askerOf(identity) };
    return this.#ask(identity, id, command, key, () => ({ userId: person, banned: false }));
  }

  report(
    identity: Identity,
    id: string,
    { players, scores }: NewLadderMatch,
    { address, key }: { readonly address: string | undefined; readonly key?: string | undefined },
  ): AsyncResult<LadderMatchMade> {
    const result = { players: players as [PersonId, PersonId], scores: scores as [number, number] };
    const network = this.#deps.networks.of(address);
    const command: LadderCommand = { type: "report", result, asker: askerOf(identity), network };
    return this.#ask(identity, id, command, key, matchMade);
  }

  confirm(identity: Identity, id: string, match: MatchNumber, key?: string): AsyncResult<LadderMatchMade> {
    return this.#ask(identity, id, { type: "confirm", match, by: identity.by }, key, matchMade);
  }

  decline(identity: Identity, id: string, match: MatchNumber, key?: string): AsyncResult<LadderMatchSettled> {
    return this.#ask(identity, id, { type: "decline", match, by: identity.by }, key, () => ({
      match: { id: String(match), status: "declined", recounted: 0 },
    }));
  }

  void(identity: Identity, id: string, match: MatchNumber, key?: string): AsyncResult<LadderMatchSettled> {
    const command: LadderCommand = { type: "void", match, asker: askerOf(identity) };
    return this.#ask(identity, id, command, key, ({ entry }) => {
      const { recount } = entry.events[0] as EventOf<"voided">;
      return { match: { id: String(match), status: "voided", recounted: recount?.turns.length ?? 0 } };
    });
  }

  get(identity: Identity | null, id: string): AsyncResult<LadderAtVersion> {
    return readRoom(this.#deps.streams, id, ladderNotFound, (ladder, version) => {
      const number = identity?.role === "person" ? playerCalled(ladder, personOf(identity)) : undefined;
      const you = number === undefined ? null : playerView(ladder, standingOf(ladder, number));
      return { value: { ladder: ladderView(id, ladder), you, version } };
    });
  }

  async list(query: RoomQuery): AsyncResult<LadderList> {
    const { streams, isUnlisted } = this.#deps;
    const isListed = (id: string, listing: Listing) => !isUnlisted(id, makerListed(listing));
    const { rooms, nextCursor } = await listRooms(streams, query, ladderListed, isListed);
    return { value: { ladders: rooms, nextCursor } };
  }

  lens(id: string): Promise<Lens | Refused> {
    return lensOf(this.#deps.streams, id, ladderNotFound, (_terms, read) => ladderLens(id, read));
  }

  async #ask<Value>(
    { by }: Identity,
    id: string,
    command: LadderCommand,
    key: string | undefined,
    show: (decided: LadderDecided) => Value,
  ): AsyncResult<Value> {
    const isNew = newWork.includes(command.type);
    return answered(await this.#deps.streams.ask(id, { command, by, key, isNew }), show);
  }
}

const newWork: readonly LadderCommand["type"][] = ["create", "enrol", "report"];

/** With the defaults of a ladder. */
export function newLadderCommand(
  given: NewLadder,
  creator: string,
): Extract<LadderCommand, { type: "create" }> {
  const settings = { ...ladderDefaults, title: "", ...settingsFrom(given) };
  return { type: "create", rating: ratingTerms(given), settings, creator };
}

export function askerOf({ by, role }: Identity): Asker {
  return { by, role };
}

function matchMade({ state, entry }: LadderDecided): LadderMatchMade {
  return { match: matchMadeView(state, entry.events[0] as EventOf<"reported" | "counted">) };
}
