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
  type Refusal,
  standingOf,
} from "@openseat/kernel";
import type { Enrolment, LadderChanges, NewLadder, NewLadderMatch } from "@openseat/protocol";
import { type FeedMessage, feedMessage, type Lens } from "../../feed/watch.ts";
import type { Outcome } from "../../host/stream/asks.ts";
import type { Streams } from "../../host/streams.ts";
import type { Entry } from "../../log/entry.ts";
import { type Answer, failure, locatedAt, success } from "../../transport/http/envelope.ts";
import { ladderChanges } from "../../views/ladder-changes.ts";
import {
  ladderListed,
  ladderTermsView,
  ladderView,
  makerListed,
  matchMadeView,
  playerView,
} from "../../views/ladder-views.ts";
import { iso } from "../../views/times.ts";
import { type Identity, personOf } from "../identity.ts";
import { shownName } from "../names.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { hasRoom, listRooms, newRoomId, type RoomCreation, type RoomQuery } from "../rooms/rooms.ts";
import { faultIn, ladderDefaults, ratingTerms, settingsFrom } from "./ladder-settings.ts";

export type LadderStreams = Streams<Ladder, LadderCommand, LadderEvent>;

/** What a person is called in the directory; null for nothing. */
export type NicknameOf = (person: PersonId) => Promise<string | null>;

type EventOf<Type extends LadderEvent["type"]> = Extract<LadderEvent, { readonly type: Type }>;

export interface LaddersDeps {
  readonly streams: LadderStreams;
  readonly nicknameOf: NicknameOf;
  readonly creation: RoomCreation;
  readonly networks: NetworkHashes;
  /** CH6: whether a ladder is kept out of the list. It can be looked at by its id. */
  readonly isUnlisted: (id: string, creator: string) => boolean;
}

/** What can be asked of ladders that changes them, and how they are watched. */
export class Ladders {
  readonly #streams: LadderStreams;
  readonly #nicknameOf: NicknameOf;
  readonly #creation: RoomCreation;
  readonly #networks: NetworkHashes;
  readonly #isUnlisted: LaddersDeps["isUnlisted"];

  constructor({ streams, nicknameOf, creation, networks, isUnlisted }: LaddersDeps) {
    this.#streams = streams;
    this.#nicknameOf = nicknameOf;
    this.#creation = creation;
    this.#networks = networks;
    this.#isUnlisted = isUnlisted;
  }

  async create(identity: Identity, given: NewLadder, key?: string): Promise<Answer> {
    const { idSecret, ids, quota } = this.#creation;
    const fault = faultIn(given) ?? ids.obstacle("ladder", identity, given.id);
    if (fault) return failure(fault);
    // LD9: strangers may join an open ladder, and could report matches that were never played.
    const isForStrangers = identity.role === "person" && given.open !== false;
    const command: LadderCommand = {
      ...newLadderCommand({ confirm: isForStrangers, ...given }, identity.by),
      ...(given.confirm === undefined && { formerDefaults: { confirm: false } }),
    };
    const id = given.id ?? newRoomId("ladder", identity, key, idSecret);
    const isThere = () => hasRoom(this.#streams, id);
    const made = await quota.make({ identity, rooms: 1, isThere }, async () => {
      const outcome = await this.#ask(identity, id, command, key);
      const answer = locatedAt(`/api/v1/ladders/${id}`, termsAnswer(outcome, id, 201, "The ladder is open."));
      return "refusal" in outcome ? outcome : { value: answer, replayed: outcome.replayed };
    });
    return "refusal" in made ? failure(made.refusal) : made.value;
  }

  async change(identity: Identity, id: string, given: LadderChanges, key?: string): Promise<Answer> {
    const command: LadderCommand = {
      type: "configure",
      changes: settingsFrom(given),
      asker: askerOf(identity),
    };
    const outcome = await this.#ask(identity, id, command, key);
    return termsAnswer(outcome, id, 200, "The ladder is changed.");
  }

  /** RM8. */
  async end(identity: Identity, id: string, key?: string): Promise<Answer> {
    const command: LadderCommand = { type: "end", asker: askerOf(identity) };
    const outcome = await this.#ask(identity, id, command, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const { state, replayed } = outcome;
    const ladder = ladderTermsView(id, state.terms, state.settings);
    return success(200, "The ladder has ended.", { ladder }, replayed);
  }

  /** By themselves; by their nickname, if they have one. */
  async join(identity: Identity, id: string, key?: string): Promise<Answer> {
    const person = personOf(identity);
    const name = (await this.#nicknameOf(person)) ?? shownName(identity.name, person);
    return this.#enrol(identity, id, { person, name, rating: undefined }, key);
  }

  /** By someone who may enrol others. */
  enrol(identity: Identity, id: string, { userId, name, rating }: Enrolment, key?: string): Promise<Answer> {
    const person = userId as PersonId;
    const keepsName = name === undefined;
    return this.#enrol(identity, id, { person, name: shownName(name, userId), keepsName, rating }, key);
  }

  async #enrol(
    identity: Identity,
    id: string,
    player: { person: PersonId; name: string; keepsName?: boolean; rating: number | undefined },
    key?: string,
  ): Promise<Answer> {
    const command: LadderCommand = { type: "enrol", ...player, asker: askerOf(identity) };
    const outcome = await this.#ask(identity, id, command, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const event = outcome.entry.events[0] as EventOf<"enrolled"> | EventOf<"returned">;
    const rating = event.type === "enrolled" ? event.rating : null;
    const message = rating === null ? "Welcome back: you have what you had." : "Welcome to the ladder.";
    const data = { player: { userId: player.person, name: event.name, rating } };
    return success(200, message, data, outcome.replayed);
  }

  async leave(identity: Identity, id: string, person: PersonId, key?: string): Promise<Answer> {
    const command: LadderCommand = { type: "leave", person, asker: askerOf(identity) };
    const outcome = await this.#ask(identity, id, command, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    return success(200, "Off the ladder. The matches played stay.", { userId: person }, outcome.replayed);
  }

  async ban(identity: Identity, id: string, person: PersonId, key?: string): Promise<Answer> {
    const command: LadderCommand = { type: "ban", person, asker: askerOf(identity) };
    const outcome = await this.#ask(identity, id, command, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const data = { userId: person, banned: true };
    return success(200, "Banned. The matches played stay.", data, outcome.replayed);
  }

  async unban(identity: Identity, id: string, person: PersonId, key?: string): Promise<Answer> {
    const command: LadderCommand = { type: "unban", person, asker: askerOf(identity) };
    const outcome = await this.#ask(identity, id, command, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const data = { userId: person, banned: false };
    return success(200, "No longer banned. They may join again.", data, outcome.replayed);
  }

  async report(
    identity: Identity,
    id: string,
    { players, scores }: NewLadderMatch,
    { address, key }: { readonly address: string; readonly key?: string | undefined },
  ): Promise<Answer> {
    const result = { players: players as [PersonId, PersonId], scores: scores as [number, number] };
    const network = this.#networks.of(address);
    const command: LadderCommand = { type: "report", result, asker: askerOf(identity), network };
    return madeAnswer(await this.#ask(identity, id, command, key));
  }

  async confirm(identity: Identity, id: string, match: MatchNumber, key?: string): Promise<Answer> {
    return madeAnswer(await this.#ask(identity, id, { type: "confirm", match, by: identity.by }, key));
  }

  async decline(identity: Identity, id: string, match: MatchNumber, key?: string): Promise<Answer> {
    const outcome = await this.#ask(identity, id, { type: "decline", match, by: identity.by }, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const data = { match: { id: String(match), status: "declined", recounted: 0 } };
    return success(200, "The match is declined: it does not count.", data, outcome.replayed);
  }

  async void(identity: Identity, id: string, match: MatchNumber, key?: string): Promise<Answer> {
    const outcome = await this.#ask(identity, id, { type: "void", match, asker: askerOf(identity) }, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const { recount } = outcome.entry.events[0] as EventOf<"voided">;
    const recounted = recount?.turns.length ?? 0;
    const data = { match: { id: String(match), status: "voided", recounted } };
    return success(200, "The match is void, as if it had never been.", data, outcome.replayed);
  }

  async get(identity: Identity | null, id: string): Promise<Answer> {
    const found = await this.#streams.read(id, (ladder, version) => {
      if (!ladder) return failure(ladderNotFound);
      const number = identity?.role === "person" ? playerCalled(ladder, personOf(identity)) : undefined;
      const you = number === undefined ? null : playerView(ladder, standingOf(ladder, number));
      return success(200, "The ladder.", { ladder: ladderView(id, ladder), you, version });
    });
    return "refusal" in found ? failure(found.refusal) : found.value;
  }

  async list(query: RoomQuery): Promise<Answer> {
    const isListed = (id: string, listing: Listing) => !this.#isUnlisted(id, makerListed(listing));
    const { rooms, nextCursor } = await listRooms(this.#streams, query, ladderListed, isListed);
    return success(200, "Ladders, the newest first.", { ladders: rooms, nextCursor });
  }

  /** How the feed shows a ladder; a refusal when there is none. */
  async lens(id: string): Promise<Lens | { refusal: Refusal }> {
    const found = await this.#streams.read(id, (ladder) => ladder !== undefined);
    if ("refusal" in found) return found;
    if (!found.value) return { refusal: ladderNotFound };
    return {
      view: () => this.#view(id),
      change: (entry) => {
        const changes = ladderChanges((entry as Entry<LadderEvent>).events);
        return feedMessage("change", entry.version, { ladder: id, at: iso(entry.at), changes });
      },
    };
  }

  async #view(id: string): Promise<FeedMessage | undefined> {
    const found = await this.#streams.read(id, (ladder, version) =>
      ladder ? feedMessage("view", version, { ladder: ladderView(id, ladder) }) : undefined,
    );
    return "refusal" in found ? undefined : found.value;
  }

  #ask(
    { by }: Identity,
    id: string,
    command: LadderCommand,
    key: string | undefined,
  ): Promise<Outcome<Ladder, LadderEvent>> {
    return this.#streams.ask(id, { command, by, key, isNew: newWork.includes(command.type) });
  }
}

const newWork: readonly LadderCommand["type"][] = ["create", "enrol", "report"];

/** In the words and units of the kernel, with what a ladder is like unless it is told otherwise. */
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

function madeAnswer(outcome: Outcome<Ladder, LadderEvent>): Answer {
  if ("refusal" in outcome) return failure(outcome.refusal);
  const { entry, state, replayed } = outcome;
  const match = matchMadeView(state, entry.events[0] as EventOf<"reported"> | EventOf<"counted">);
  const text =
    match.status === "counted"
      ? "The match counts."
      : match.dispute === null
        ? "The match waits for the opponent to confirm it."
        : `Your opponent has reported another score, in match ${match.dispute}. Confirm that one, or wait for them to confirm yours.`;
  return success(200, text, { match }, replayed);
}

function termsAnswer(
  outcome: Outcome<Ladder, LadderEvent>,
  id: string,
  status: number,
  text: string,
): Answer {
  if ("refusal" in outcome) return failure(outcome.refusal);
  const { state, entry, replayed } = outcome;
  const { settings } = entry.events[0] as EventOf<"created"> | EventOf<"configured">;
  return success(status, text, { ladder: ladderTermsView(id, state.terms, settings) }, replayed);
}
