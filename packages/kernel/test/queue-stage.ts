import assert from "node:assert/strict";
import {
  defaultLanes,
  type Lane,
  type QueueCommand,
  type QueueEvent,
  type QueuePlace,
  type QueueRoom,
  type QueueSettings,
  queueDecider,
  queuePlace,
} from "@openseat/kernel";
import { DeciderStage } from "./decider-stage.ts";
import { millis, person, ticket } from "./room-stage.ts";

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
/** `by` is the person who asks; by default, an operator asks. */
export const about = (type: AboutPlace, number: number, by?: string): QueueCommand => ({
  type,
  ticket: ticket(number),
  person: by === undefined ? undefined : person(by),
});

/** A waiting room. */
export class QueueStage extends DeciderStage<QueueRoom, QueueCommand, QueueEvent> {
  constructor(terms: StageTerms = {}, now = 1_000) {
    super(queueDecider, createQueue(terms), now);
  }

  get room(): QueueRoom {
    return this.state;
  }

  set room(room: QueueRoom) {
    this.state = room;
  }

  /** Sets the clock without waking the room. */
  override at(now: number): this {
    this.now = now;
    return this;
  }

  /** Lets time pass, and wakes the room `lateMs` after each due time. */
  goOn(until: number, lateMs: () => number = () => 0): QueueEvent[] {
    const all: QueueEvent[] = [];
    for (let { due } = this; due !== undefined && due <= until; { due } = this) {
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

  /** As operators see it. */
  placeOf(number: number): QueuePlace {
    const place = queuePlace(this.room, ticket(number), undefined, millis(this.now));
    assert.ok("state" in place, `${number} is not there`);
    return place;
  }

  get order(): number[] {
    return [...this.room.line];
  }

  /** Names, front to back. */
  get names(): string[] {
    return this.order.map((number) => this.room.roster.place(ticket(number)).person);
  }
}

/** The same numbers for the same seed, so that a failing run can be repeated. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0 and less than 1. */
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

  /** True with this probability in percent. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }
}
