import assert from "node:assert/strict";
import {
  defaultLanes,
  type Lane,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  type QueueSettings,
  queueDecider,
  type Saved,
} from "@openseat/kernel";
import { millis, person, ticket } from "./room-stage.ts";

const { decide, evolve, nextDue, tick } = queueDecider;

export const settings: QueueSettings = {
  title: "Tickets",
  seats: 1,
  ratePerSecond: null,
  burst: 1,
  lineLengthMax: 1_000_000,
  patienceMs: 600_000,
  heartbeatTimeoutMs: 60_000,
  claimTimeoutMs: 30_000,
  sessionDurationMs: 60_000,
  sessionTimeoutMs: null,
  returnAddresses: [],
};

export interface StageTerms extends Partial<QueueSettings> {
  readonly lanes?: readonly Lane[];
  readonly placesPerAddressMax?: number | null;
}

export function createQueue(terms: StageTerms = {}): QueueCommand {
  const { lanes = defaultLanes, placesPerAddressMax = null, ...changes } = terms;
  return {
    type: "create",
    settings: { ...settings, ...changes },
    lanes,
    placesPerAddressMax,
    creator: "@op",
  };
}

export const enter = (name: string, lane = 0, address?: string): QueueCommand => ({
  type: "enter",
  person: person(name),
  lane,
  onBehalf: false,
  ...(address !== undefined && { address }),
});

type AboutPlace = "leave" | "claim" | "complete" | "terminate";
/** `by` is the person who asks; without it, an operator does. */
export const about = (type: AboutPlace, number: number, by?: string): QueueCommand => ({
  type,
  ticket: ticket(number),
  person: by === undefined ? undefined : person(by),
});

/** A waiting room, and the plainest host there can be: what is due is decided before what is asked. */
export class QueueStage {
  room: QueueRoom;
  now: number;
  version = 0;
  /** Half a million entries are better not kept. */
  keepsLog = true;
  /** All that was ever written, as the disk has it. */
  readonly log: { readonly at: number; readonly version: number; readonly events: string }[] = [];

  constructor(terms: StageTerms = {}, now = 1_000) {
    this.now = now;
    this.room = undefined as unknown as QueueRoom;
    this.do(createQueue(terms));
  }

  /** The events of the one entry that the command makes. */
  do(command: QueueCommand): readonly QueueEvent[] {
    if (this.room !== undefined) this.wake();
    const decision = decide(this.room, command, millis(this.now));
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}`);
    this.write(decision.events);
    return decision.events;
  }

  write(events: readonly QueueEvent[]): void {
    if (events.length === 0) return;
    this.version++;
    if (this.keepsLog) this.log.push({ at: this.now, version: this.version, events: JSON.stringify(events) });
    for (const event of events) this.room = evolve(this.room, event, millis(this.now), this.version);
  }

  refusal(command: QueueCommand) {
    const decision = decide(this.room, command, millis(this.now));
    assert.ok("refusal" in decision, `${command.type} was not refused`);
    return decision.refusal;
  }

  /** Ticks for as long as one is due. Each has to lead to something: else a host would wake the room without end. */
  wake(): QueueEvent[] {
    const all: QueueEvent[] = [];
    for (let due = nextDue(this.room); due !== undefined && due <= this.now; due = nextDue(this.room)) {
      const decision = decide(this.room, tick, millis(this.now));
      assert.ok("events" in decision && decision.events.length > 0, "a tick that was due led to nothing");
      this.write(decision.events);
      all.push(...decision.events);
    }
    return all;
  }

  at(now: number): this {
    this.now = now;
    return this;
  }

  /** Time goes on, and the room is woken whenever it wants to be, by so much too late. */
  goOn(until: number, lateMs: () => number = () => 0): QueueEvent[] {
    const all: QueueEvent[] = [];
    for (let due = nextDue(this.room); due !== undefined && due <= until; due = nextDue(this.room)) {
      this.now = Math.max(this.now, due + lateMs());
      if (this.now > until) break;
      all.push(...this.wake());
    }
    this.now = Math.max(this.now, until);
    return [...all, ...this.wake()];
  }

  enter(name: string, lane = 0, address?: string): readonly QueueEvent[] {
    return this.do(enter(name, lane, address));
  }

  get order(): number[] {
    return [...this.room.line];
  }

  /** By name, front to back. */
  get names(): string[] {
    return this.order.map((number) => this.room.roster.place(ticket(number)).person);
  }
}

/** As the disk has them: heads through JSON, columns in buffers of their own. */
export function throughBytes({ head, columns, lists = {} }: Saved): Saved {
  const [savedHead, savedLists] = JSON.parse(JSON.stringify([head, lists]));
  return { head: savedHead, columns: structuredClone(columns), lists: savedLists };
}

/** The room as it is after reading the whole log again. */
export function replayed({ log }: QueueStage): QueueRoom {
  let room: QueueRoom | undefined;
  for (const { at, version, events } of log)
    for (const event of JSON.parse(events) as QueueEvent[]) room = evolve(room, event, millis(at), version);
  return room!;
}

/** The same numbers for the same seed: a failing run can be run again. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  /** True so many times out of a hundred. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }
}
