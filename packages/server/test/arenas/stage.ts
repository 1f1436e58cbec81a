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
} from "@openseat/kernel";
import type { NewArena } from "@openseat/protocol";
import { Arenas } from "../../src/app/arenas/arenas.ts";
import type { Identity } from "../../src/app/identity.ts";
import { Hub } from "../../src/feed/hub.ts";
import type { FeedMessage, Subscriber } from "../../src/feed/watch.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import { watchRoom } from "../../src/transport/live/watch-room.ts";
import { HeldLog } from "../support/held-log.ts";
import type { Json } from "../support/http.ts";
import { freeCreation } from "../support/limits.ts";
import { bodyOf, doneOf } from "../support/results.ts";
import { answered, TestClock, turns, watched } from "../support/test-clock.ts";
import { standing } from "./hall.ts";

export const graceMs = 15_000;

type Options = Partial<Omit<HostOptions, "log" | "clock">>;
type Given = Options & { readonly log?: HeldLog; readonly clock?: TestClock };

const personCalled = (by: string): Identity => ({ role: "person", by });

/** A tab of a watching person. */
export class Tab implements Subscriber {
  readonly got: FeedMessage[] = [];
  readonly address = "192.0.2.1";
  backlogBytes = 0;
  readonly dropped: string[] = [];
  close = () => {};

  send(message: FeedMessage): void {
    this.got.push(message);
  }

  drop(reason: string): void {
    this.dropped.push(reason);
    this.close();
  }

  /** The state shown, after all messages. */
  get state(): Json {
    return standing(this.got.map(({ json }) => JSON.parse(json)));
  }
}

/** The server's arenas from the use cases to the log, on a clock that the test controls. */
export class ArenaStage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly hub: Hub;
  readonly arenas: Arenas;
  readonly errors: unknown[] = [];

  constructor({ log, clock, ...options }: Given = {}) {
    this.log = log ?? new HeldLog();
    this.clock = clock ?? new TestClock();
    this.hub = new Hub(this.log, this.clock);
    this.host = new Host({
      log: this.log,
      clock: this.clock,
      deciders: { arena: arenaDecider, ladder: ladderDecider },
      onCommit: (committed) => this.hub.publish(committed),
      onDoubt: (stream) => (stream ? this.hub.catchUp(stream) : this.hub.catchUpAll()),
      onError: (error) => this.errors.push(error),
      ...options,
    });
    const streams = this.host.streams<ArenaRoom, ArenaCommand, ArenaEvent>("arena");
    const ladders = this.host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
    this.arenas = new Arenas(streams, ladders, freeCreation());
    this.host.start();
  }

  /** Another host on the same log, as after a crash: this one finishes nothing first. */
  another(options: Options = {}): ArenaStage {
    return new ArenaStage({ log: this.log, clock: this.clock, ...options });
  }

  /** Creates an arena; these people join in order. */
  async opened(people: readonly string[], fields: Partial<NewArena> = {}): Promise<string> {
    const given = { id: "a", title: "A", game: "tic-tac-toe", ...fields } as NewArena;
    doneOf(await answered(this.arenas.create({ role: "service", by: "@service" }, given)));
    for (const person of people) await this.join(person);
    return given.id!;
  }

  async join(person: string): Promise<Json> {
    return bodyOf(await answered(this.arenas.join(personCalled(person), "a")));
  }

  async get(person?: string): Promise<Json> {
    const identity = person === undefined ? null : personCalled(person);
    return doneOf(await answered(this.arenas.get(identity, "a")));
  }

  /** A request about a person's place. */
  ask(person: string, what: "get" | "join" | "move"): Promise<unknown> {
    const identity = personCalled(person);
    if (what === "get") return this.arenas.get(identity, "a");
    if (what === "join") return this.arenas.join(identity, "a");
    return this.arenas.move(identity, "a", { match: "1", move: "a1" });
  }

  async move(person: string, move: string): Promise<Json> {
    const { state } = await this.get();
    const given = { match: state.match.id, turn: state.match.turn, move };
    return bodyOf(await answered(this.arenas.move(personCalled(person), "a", given)));
  }

  /** A tab of a person, or of anyone, that watches the arena. */
  async tab(person: string | undefined, after?: number): Promise<Tab> {
    const lens = await answered(this.arenas.lens("a"));
    assert.ok(!("refusal" in lens));
    const tab = new Tab();
    const from = { after, viewer: person as never };
    const watch = watchRoom(
      { games: this.arenas, arenas: this.arenas, hub: this.hub },
      { kind: "arena", id: "a" },
      lens,
      tab,
      from,
    );
    tab.close = () => watch.close();
    await turns(30);
    return tab;
  }

  /** Who sits, by label, and who waits. */
  async places(): Promise<{ seats: Record<string, string>; line: string[] }> {
    const { state } = await this.get();
    return {
      seats: Object.fromEntries(state.players.map(({ label, person }: Json) => [label, person.id])),
      line: state.line.map(({ person }: Json) => person.id),
    };
  }

  async entries(): Promise<Entry<ArenaEvent>[]> {
    const batches = await this.log.inner.read("arena/a", 0, 1_000_000);
    return batches.flatMap(({ lines }) => lines.map((line) => decodeEntry<ArenaEvent>(line)));
  }

  /** The ends of matches, and the ends of places by silence, with how long after `since` they came. */
  async ends(since: number): Promise<string[]> {
    return (await this.entries()).flatMap(({ at, events }) =>
      events.flatMap((event) => {
        if (event.type === "ended") return `${event.reason} after ${at - since}`;
        const isSilent = event.type === "left" && /forfeited|heartbeat/.test(event.reason);
        return isSilent ? `${event.person} ${event.reason} after ${at - since}` : [];
      }),
    );
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}
