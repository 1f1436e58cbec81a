import assert from "node:assert/strict";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  arenaDecider,
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type MatchNumber,
} from "@openseat/kernel";
import type { NewArena, NewLadder } from "@openseat/protocol";
import { Arenas } from "../../src/app/arenas/arenas.ts";
import type { Identity } from "../../src/app/identity.ts";
import { NetworkHashes } from "../../src/app/network-hashes.ts";
import { laddersOf } from "../../src/boot/use-cases.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { TimeSlices } from "../../src/scheduling/time-slices.ts";
import type { LadderUseCases } from "../../src/transport/http/ladders/ladder-routes.ts";
import { HeldLog } from "../support/held-log.ts";
import type { Json } from "../support/http.ts";
import { freeCreation } from "../support/limits.ts";
import { bodyOf, doneOf } from "../support/results.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";

export const service: Identity = { role: "service", by: "@service" };
export const operator: Identity = { role: "operator", by: "@operator" };
export const person = (by: string): Identity => ({ role: "person", by });

type Options = Partial<Omit<HostOptions, "log" | "clock">>;

/** Ladders, and arenas connected to them, on a log and a clock that the test controls. */
export class LadderStage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly started: Promise<void>;
  readonly arenas: Arenas;
  readonly parts: LadderUseCases;
  readonly errors: unknown[] = [];

  constructor(
    options: Options = {},
    { log = new HeldLog(), clock = new TestClock() }: { log?: HeldLog; clock?: TestClock } = {},
  ) {
    this.log = log;
    this.clock = clock;
    this.host = new Host({
      ...{ log, clock, deciders: { arena: arenaDecider, ladder: ladderDecider } },
      onError: (error) => this.errors.push(error),
      ...options,
    });
    const rungs = this.host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
    const tables = this.host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena");
    this.arenas = new Arenas(tables, rungs, freeCreation());
    this.parts = laddersOf({
      streams: rungs,
      records: this.log.ladders,
      clock,
      slices: new TimeSlices(clock),
      creation: freeCreation(),
      networks: new NetworkHashes("a secret"),
      nicknameOf: async () => null,
      isUnlisted: () => false,
    });
    this.started = this.host.start();
  }

  /** Another host on the same log, as after a crash: this one finishes nothing first. */
  another(options: Options = {}): LadderStage {
    return new LadderStage(options, this);
  }

  /** The ladder `l`, with these players. */
  async opened(people: readonly string[], fields: Partial<NewLadder> = {}): Promise<void> {
    const { ladders } = this.parts;
    doneOf(await answered(ladders.create(operator, { id: "l", title: "L", ...fields })));
    for (const userId of people) doneOf(await answered(ladders.enrol(operator, "l", { userId })));
  }

  /** The arena `a`, whose matches count on `l`, with two players. */
  async playing(fields: Partial<NewArena> = {}): Promise<void> {
    const given = { id: "a", title: "A", game: null, ladder: "l", ...patient, ...fields } as NewArena;
    const made = await answered(this.arenas.create(service, given));
    doneOf(made);
    for (const name of ["ann", "bob"]) await answered(this.arenas.join(person(name), given.id!));
  }

  async arena(): Promise<Json> {
    return doneOf(await answered(this.arenas.get(null, "a")));
  }

  /** Reports the result of the running match; `winner` is a person, or null for a draw. */
  async report(winner: string | null): Promise<Json> {
    const { state } = await this.arena();
    const label = state.players.find((player: Json) => player.person.id === winner)?.label ?? null;
    const given = { match: state.match.id, winner: label };
    return bodyOf(await answered(this.arenas.report(service, "a", given)));
  }

  /** All matches of the ladder, oldest first, such as `ann 1 bob 0 counted`. */
  async matches(): Promise<string[]> {
    const { matches } = doneOf(await answered(this.parts.book.matches("l", { limit: 500 })));
    return matches.toReversed().map(({ players: [a, b], status }) => {
      return `${a.userId} ${a.score} ${b.userId} ${b.score} ${status}`;
    });
  }

  void(match: number, by = operator) {
    return answered(this.parts.ladders.void(by, "l", match as MatchNumber));
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}

/** Long timeouts, so that no test loses anything by its duration. */
const patient = {
  reconnectGraceSeconds: 3_600,
  heartbeatTimeoutSeconds: 3_600,
  moveTimeoutSeconds: 86_400,
  drawRule: "rematch",
  maxWins: null,
} as const;
