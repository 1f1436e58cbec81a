import assert from "node:assert/strict";
import type { Decider, Lease, Millis, Refusal, TicketNumber } from "@openseat/kernel";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { decodeEntry } from "../../src/log/entry.ts";
import { HeldLog } from "../support/held-log.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";

interface Terms {
  readonly windowMs: number;
  /** How long seated places last without heartbeats; 0 for no limit. */
  readonly graceMs: number;
  /** Maximum number of places that one entry may expire. */
  readonly lapsesMax: number;
  /** When the room wants a tick, if it does. The tick doubles its window. */
  readonly due: number | null;
}

type Place = "waiting" | "seated";

export interface LeasedRoom {
  terms: Terms;
  newest: number;
  places: Map<number, Place>;
}

type Command =
  | ({ readonly type: "open" } & Terms)
  | { readonly type: "change"; readonly windowMs: number }
  | { readonly type: "enter" }
  | { readonly type: "sit" | "leave"; readonly ticket: number }
  | { readonly type: "lapse"; readonly tickets: readonly number[] }
  | { readonly type: "tick" };

/** Possible commands are their own events; there are no others. */
export type LeasedEvent = Command & { readonly ticket?: number };

function leaseOf(place: Place, windowOf: (terms: Terms) => number): Lease<LeasedRoom, Command> {
  const ticketsIn = ({ places }: LeasedRoom) => [...places.keys()].filter((key) => places.get(key) === place);
  return {
    windowMs: (room) => (ticketsIn(room).length > 0 && windowOf(room.terms)) || undefined,
    newest: (room) => room.newest,
    lapse(room, isHeard) {
      const silent = ticketsIn(room).filter((ticket) => !isHeard(ticket as TicketNumber));
      const tickets = silent.slice(0, room.terms.lapsesMax);
      return tickets.length > 0 ? { type: "lapse", tickets } : undefined;
    },
  };
}

/** The smallest room in which places last only while they send heartbeats. */
export const leasedDecider: Decider<LeasedRoom, Command, LeasedEvent> = {
  decide(room, command) {
    if (command.type === "enter") return { events: [{ ...command, ticket: room!.newest + 1 }] };
    const gone: Refusal = { code: "place.missing", message: "There is no such place." };
    if ("ticket" in command && !room!.places.has(command.ticket)) return { refusal: gone };
    return { events: [command] };
  },
  evolve(room, event) {
    if (event.type === "open") return { terms: event, newest: 0, places: new Map() };
    const { places } = room!;
    if (event.type === "change") room!.terms = { ...room!.terms, windowMs: event.windowMs };
    if (event.type === "enter") places.set(++room!.newest, "waiting");
    if (event.type === "sit") places.set(event.ticket, "seated");
    if (event.type === "leave") places.delete(event.ticket);
    if (event.type === "lapse") {
      for (const ticket of event.tickets) assert.ok(places.delete(ticket), "a place ended twice");
    }
    if (event.type === "tick")
      room!.terms = { ...room!.terms, due: null, windowMs: 2 * room!.terms.windowMs };
    return room!;
  },
  tick: { type: "tick" },
  nextDue: ({ terms }) => (terms.due ?? undefined) as Millis | undefined,
  keys: { fingerprint: ({ type }) => type },
  listing: ({ places }) => ({ status: "OPEN", summary: { places: places.size } }),
  snapshots: {
    save: ({ terms, newest, places }) => ({ head: { terms, newest, places: [...places] }, columns: {} }),
    restore({ head }) {
      const { terms, newest, places } = head as unknown as { terms: Terms; newest: number; places: [] };
      return { terms, newest, places: new Map(places) };
    },
  },
  presence: {
    leases: [leaseOf("waiting", ({ windowMs }) => windowMs), leaseOf("seated", ({ graceMs }) => graceMs)],
  },
};

export const windowMs = 30_000;

/** A host of leased rooms on a log and a clock that the test controls. */
export class LeaseStage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly rooms;
  readonly errors: unknown[] = [];

  constructor(options: Partial<HostOptions> & { log?: HeldLog; clock?: TestClock } = {}) {
    this.log = options.log ?? new HeldLog();
    this.clock = options.clock ?? new TestClock();
    this.host = new Host({
      deciders: { room: leasedDecider },
      onError: (error) => this.errors.push(error),
      ...options,
      log: this.log,
      clock: this.clock,
    });
    this.rooms = this.host.streams<LeasedRoom, Command, LeasedEvent>("room");
  }

  /** Another host on the same log, as after a restart or on another node. */
  another(options: Partial<Omit<HostOptions, "log" | "clock">> = {}): LeaseStage {
    return new LeaseStage({ log: this.log, clock: this.clock, ...options });
  }

  ask(id: string, command: Command) {
    return this.rooms.ask(id, { command, by: "ann" });
  }

  async asked(id: string, command: Command): Promise<LeasedEvent> {
    const outcome = await answered(this.ask(id, command));
    if ("refusal" in outcome) assert.fail(`refused: ${outcome.refusal.code}`);
    return outcome.entry.events[0];
  }

  async opened(id: string, terms: Partial<Terms> = {}): Promise<void> {
    await this.asked(id, { type: "open", windowMs, graceMs: 0, lapsesMax: 1_000, due: null, ...terms });
  }

  /** A room with this many people in it. */
  async crowded(id: string, people: number, terms: Partial<Terms> = {}): Promise<void> {
    await this.opened(id, terms);
    await answered(Promise.all(Array.from({ length: people }, () => this.ask(id, { type: "enter" }))));
  }

  async enter(id: string): Promise<TicketNumber> {
    return (await this.asked(id, { type: "enter" })).ticket as TicketNumber;
  }

  noteHeartbeat(id: string, ticket: number): void {
    this.rooms.noteHeartbeat(id, ticket as TicketNumber);
  }

  hold(id: string, ticket: number) {
    return this.rooms.hold(id, ticket as TicketNumber);
  }

  /** The tickets in the room, as a reader sees them. */
  tickets(id: string) {
    return this.rooms.read(id, (room) => [...(room?.places.keys() ?? [])]);
  }

  /** The expiries in the log, entry by entry. */
  async lapses(id: string) {
    const batches = await this.log.inner.read(`room/${id}`, 0, 1_000_000);
    return batches
      .flatMap(({ lines }) => lines.map((line) => decodeEntry<LeasedEvent>(line)))
      .flatMap(({ at, by, events: [event] }) =>
        event.type === "lapse" ? [{ at: at as number, by, tickets: event.tickets }] : [],
      );
  }

  /** The tickets that expired, in order. */
  async lapsed(id: string): Promise<number[]> {
    return (await this.lapses(id)).flatMap(({ tickets }) => tickets);
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    for (let round = 0; round < 2_000 && !stopped.settled; round++) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}
