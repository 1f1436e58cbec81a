import { randomInt } from "node:crypto";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  type ArenaTerms,
  arenaExists,
  arenaNotFound,
  type MatchId,
  type PersonId,
  placeIn,
  type Refusal,
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
import type { Ask, Outcome } from "../../host/stream/asks.ts";
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
import { type Refused, type Result, refused } from "../result.ts";
import { listRooms, lookAt, lookFor, newRoomId, type RoomCreation, type RoomQuery } from "../rooms/rooms.ts";
import { ArenaRating, ratedArenas } from "./arena-rating.ts";
import { arenaDefaults, faultIn, settingsFrom } from "./arena-settings.ts";

export type ArenaStreams = Streams<ArenaRoom, ArenaCommand, ArenaEvent>;

const seedBound = 2 ** 32;

const onlyLane = [{ name: "normal", skips: 0, immediate: false }];

/** What can be asked of arenas. */
export class Arenas {
  readonly #streams: ArenaStreams;
  readonly #rating: ArenaRating;
  readonly #creation: RoomCreation;

  constructor(streams: ArenaStreams, ladders: LadderStreams, creation: RoomCreation) {
    this.#streams = streams;
    this.#rating = new ArenaRating(streams, ladders);
    this.#creation = creation;
  }

  async create(identity: Identity, given: NewArena, key?: string): Promise<Result<ArenaTermsOnly>> {
    const { idSecret, ids, quota } = this.#creation;
    const fault = faultIn(given) ?? ids.obstacle("arena", identity, given.id);
    if (fault) return refused(fault);
    const forbidden = await this.#rating.obstacle(identity, given.ladder);
    if (forbidden) return refused(forbidden);
    const id = given.id ?? newRoomId("arena", identity, key, idSecret);
    const arenas = ratedArenas(id, given);
    const [first, ...others] = arenas;
    // Whoever asks again with a key finds the first of them there, and means the rest.
    if (others.length > 0 && !(await this.#isTaken([first])) && (await this.#isTaken(others)))
      return refused(arenaExists);
    const isThere = () => this.#isTaken([first]);
    return quota.make({ identity, rooms: arenas.length, isThere }, () =>
      this.#createAll(identity, arenas, key),
    );
  }

  async #createAll(
    identity: Identity,
    arenas: ReturnType<typeof ratedArenas>,
    key: string | undefined,
  ): Promise<Result<ArenaTermsOnly>> {
    const made: Result<ArenaTermsOnly>[] = [];
    // One after the other, by the same key: after a crash in between, asking again makes those that are missing.
    for (const { arena, given: own, rated } of arenas) {
      const command = { ...newArenaCommand(own, identity.by), ...(rated && { rated }) };
      const outcome = await this.#streams.ask(arena, { command, by: identity.by, key, isNew: true });
      if ("refusal" in outcome) return outcome;
      made.push(termsAfter(outcome, arena));
    }
    return made[0];
  }

  async change(
    identity: Identity,
    id: string,
    given: ArenaChanges,
    key?: string,
  ): Promise<Result<ArenaTermsOnly>> {
    const asOperator = identity.role === "operator";
    const changes = settingsFrom(given);
    const command: ArenaCommand = { type: "configure", changes, by: identity.by, asOperator };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    return termsAfter(outcome, id);
  }

  async end(identity: Identity, id: string, key?: string): Promise<Result<ArenaTermsOnly>> {
    const command: ArenaCommand = { type: "end", by: identity.by, asOperator: identity.role === "operator" };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    const { state, replayed } = outcome;
    return { value: { arena: arenaTermsView(id, state.terms, state.settings) }, replayed };
  }

  async join(identity: Identity, id: string, key?: string): Promise<Result<ArenaJoined>> {
    const lane = await this.#laneFor(identity, id);
    if ("refusal" in lane) return lane;
    const person = personOf(identity);
    const rating = await this.#rating.of(id, person);
    if (typeof rating === "object") return rating;
    const name = shownName(identity.name, person);
    const command: ArenaCommand = { type: "join", person, name, lane: lane.number, rating };
    const outcome = await this.#asked(identity, id, { command, by: identity.by, key, isNew: true });
    if ("refusal" in outcome) return outcome;
    const { state, entry, replayed } = outcome;
    return { value: arenaJoinedView(state.terms, entry), replayed };
  }

  async leave(identity: Identity, id: string, key?: string): Promise<Result<ArenaLeft>> {
    const person = personOf(identity);
    const command: ArenaCommand = { type: "leave", person };
    const outcome = await this.#streams.ask(id, { command, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    // By name: the opponent, who has won by this, may leave a seat in the same entry, and before them (AR7).
    const left = outcome.entry.events.filter((event) => event.type === "left");
    const { ticket } = left.find((event) => event.person === person)!;
    return { value: { ticket }, replayed: outcome.replayed };
  }

  move(
    identity: Identity,
    id: string,
    { match, turn, move }: NewMove,
    key?: string,
  ): Promise<Result<MoveMade>> {
    const command: ArenaCommand = {
      type: "move",
      ...{ person: personOf(identity), match: Number(match) as MatchId, turn, move },
    };
    return this.#play(identity, id, { command, match, key });
  }

  resign(identity: Identity, id: string, { match }: Resignation, key?: string): Promise<Result<MoveMade>> {
    const person = personOf(identity);
    const command: ArenaCommand = { type: "resign", person, match: Number(match) as MatchId };
    return this.#play(identity, id, { command, match, key });
  }

  /** AR10: only services may; the route sees to that. */
  report(
    identity: Identity,
    id: string,
    { match, winner }: NewResult,
    key?: string,
  ): Promise<Result<MoveMade>> {
    const command: ArenaCommand = { type: "report", match: Number(match) as MatchId, winner };
    return this.#play(identity, id, { command, match, key });
  }

  /** Looking at it is a sign of life of one's own place there (LS1). */
  get(identity: Identity | null, id: string): Promise<Result<ArenaAtVersion>> {
    const viewer = identity?.role === "person" ? personOf(identity) : undefined;
    return this.#hearing(id, viewer, () =>
      lookAt(this.#streams, id, arenaNotFound, (room, version) => ({
        value: arenaView(id, room, version, viewer),
      })),
    );
  }

  async list(query: RoomQuery): Promise<Result<ArenaList>> {
    const { rooms: arenas, nextCursor } = await listRooms(this.#streams, query, arenaListed);
    return { value: { arenas, nextCursor } };
  }

  /** How the feed shows an arena; a refusal when there is none. */
  async lens(id: string): Promise<Lens | Refused> {
    const terms = await this.#terms(id);
    return "refusal" in terms ? terms : arenaLens(id, terms.value, lookFor(this.#streams, id));
  }

  /** A sign of life for as long as it is held. */
  hold(id: string, ticket: number): { release(): void } {
    return this.#streams.hold(id, ticket as TicketNumber);
  }

  /** Whether one of them is there: then none is made, for half of the tiers are of no use. */
  async #isTaken(arenas: readonly { readonly arena: string }[]): Promise<boolean> {
    const terms = await Promise.all(arenas.map(({ arena }) => this.#terms(arena)));
    return terms.some((found) => "value" in found);
  }

  #terms(id: string): Promise<Result<ArenaTerms>> {
    return lookAt(this.#streams, id, arenaNotFound, ({ terms }) => ({ value: terms }));
  }

  async #play(
    identity: Identity,
    id: string,
    { command, match, key }: { command: ArenaCommand; match: string; key: string | undefined },
  ): Promise<Result<MoveMade>> {
    const outcome = await this.#asked(identity, id, { command, by: identity.by, key });
    if ("refusal" in outcome) return outcome;
    const { state, entry, replayed } = outcome;
    return { value: moveMadeView(state.terms, match, entry), replayed };
  }

  /** LS1: any request of a person about their place is a sign of life, also one that is refused. */
  #asked(identity: Identity, id: string, ask: Ask<ArenaCommand>): Promise<Outcome<ArenaRoom, ArenaEvent>> {
    return this.#hearing(id, personOf(identity), () => this.#streams.ask(id, ask));
  }

  /**
   * At once: what is decided while it waits for the disk has to count it. And when it is answered: a node on which the
   * arena was not in memory, or to which the place came from another, knows only then which place it is.
   */
  async #hearing<T>(id: string, person: PersonId | undefined, answer: () => Promise<T>): Promise<T> {
    const hear = () => {
      if (person !== undefined) this.#streams.heard(id, (room) => placeIn(room, person)?.ticket);
    };
    hear();
    const answered = await answer();
    hear();
    return answered;
  }

  /** LN9: by the signed claim, where the arena has lanes at all. */
  async #laneFor({ lane }: Identity, id: string): Promise<{ number: number } | { refusal: Refusal }> {
    if (lane === undefined) return { number: 0 };
    const terms = await this.#terms(id);
    if ("refusal" in terms) return terms;
    const { lanes } = terms.value;
    if (lanes.length === 1) return { number: 0 };
    const number = typeof lane === "number" ? lane : lanes.findIndex(({ name }) => name === lane);
    if (lanes[number]) return { number };
    const message = `This arena has the lanes ${lanes.map(({ name }) => name).join(", ")}.`;
    return { refusal: { code: "lane.unknown", message, data: { lane } } };
  }
}

/** In the words and units of the kernel, with what an arena is like unless it is told otherwise. */
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

function termsAfter(outcome: Outcome<ArenaRoom, ArenaEvent>, id: string): Result<ArenaTermsOnly> {
  if ("refusal" in outcome) return outcome;
  const { state, entry, replayed } = outcome;
  const [event] = entry.events;
  if (event.type !== "created" && event.type !== "configured")
    throw new Error("A change of an arena led to an entry without its settings.");
  return { value: { arena: arenaTermsView(id, state.terms, event.settings) }, replayed };
}
