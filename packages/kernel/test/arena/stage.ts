import assert from "node:assert/strict";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  type ArenaSettings,
  arenaDecider,
  type Ended,
  type Lane,
  type MatchId,
  placeIn,
  type RefusalCode,
} from "@openseat/kernel";
import { millis, person, ticket } from "../room-stage.ts";

const { decide, evolve, nextDue, tick } = arenaDecider;
const { save } = arenaDecider.snapshots;
const [waitingLease, seatLease] = arenaDecider.presence!.leases;

export type Create = Extract<ArenaCommand, { type: "create" }>;

const settings: Omit<ArenaSettings, "seats"> = {
  title: "The arena",
  drawRule: "longest-leaves",
  maxWins: null,
  moveTimeoutMs: 30_000,
  reconnectGraceMs: 15_000,
  heartbeatTimeoutMs: 60_000,
  lineLengthMax: 1_000,
  patienceMs: 600_000,
};

export const oneLane: readonly Lane[] = [{ name: "all", skips: 0, immediate: false }];

/** `game` is null for one that is played elsewhere, which is what it is unless given: its results are told at once. */
export type StageTerms = Partial<
  ArenaSettings & Pick<Create, "game" | "options" | "labels" | "lanes" | "seed">
>;

export function createArena(terms: StageTerms = {}): Create {
  const { game = null, options = {}, labels, lanes = oneLane, seed = 7, ...changes } = terms;
  return {
    type: "create",
    ...{ game, options, lanes, seed, labels: game === null ? (labels ?? ["X", "O"]) : labels },
    settings: { ...settings, seats: undefined, ...changes },
    creator: "carol",
  };
}

export const join = (name: string, lane = 0): ArenaCommand => ({
  type: "join",
  person: person(name),
  name: `The ${name}`,
  lane,
});
export const leave = (name: string): ArenaCommand => ({ type: "leave", person: person(name) });
export const move = (name: string, match: number, play: string, turn?: number): ArenaCommand => ({
  type: "move",
  person: person(name),
  match: match as MatchId,
  turn,
  move: play,
});
export const resign = (name: string, match: number): ArenaCommand => ({
  type: "resign",
  person: person(name),
  match: match as MatchId,
});
export const report = (match: number, winner: string | null): ArenaCommand => ({
  type: "report",
  match: match as MatchId,
  winner,
});
export const configure = (changes: Partial<ArenaSettings>): ArenaCommand => ({
  type: "configure",
  changes,
  by: "carol",
  asOperator: false,
});

/** An arena, and the plainest host there can be: what is due is decided before what is asked. */
export class ArenaStage {
  room: ArenaRoom;
  now: number;
  version = 0;
  /** All that was ever written, as the disk has it. */
  readonly log: { readonly at: number; readonly version: number; readonly events: string }[] = [];
  /** Tens of thousands of matches are better not kept. */
  keepsLog = true;

  constructor(terms: StageTerms = {}, now = 1_000) {
    this.now = now;
    this.room = undefined as unknown as ArenaRoom;
    this.do(createArena(terms));
  }

  /** The events of the one entry that the command makes. */
  do(command: ArenaCommand): readonly ArenaEvent[] {
    if (this.room !== undefined) this.wake();
    const decision = decide(this.room, command, millis(this.now));
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}: ${JSON.stringify(command)}`);
    this.write(decision.events);
    return decision.events;
  }

  write(events: readonly ArenaEvent[]): void {
    if (events.length === 0) return;
    this.version++;
    if (this.keepsLog) this.log.push({ at: this.now, version: this.version, events: JSON.stringify(events) });
    for (const event of events) this.room = evolve(this.room, event, millis(this.now), this.version);
  }

  /** MT2: refused with this code, and what there is to save is what there was. */
  refused(command: ArenaCommand, code: RefusalCode, data?: object): void {
    const before = structuredClone(save(this.room));
    const decision = decide(this.room, command, millis(this.now));
    assert.ok("refusal" in decision, `not refused: ${JSON.stringify(command)}`);
    const { refusal } = decision;
    assert.equal(refusal.code, code, JSON.stringify(command));
    assert.ok(refusal.message.length > 10 && refusal.message.endsWith("."), refusal.message);
    if (data) assert.deepEqual(refusal.data, data);
    assert.deepEqual(save(this.room), before, "a refusal changed something");
  }

  /** Ticks for as long as one is due. Each has to lead to something: else a host would wake the room without end. */
  wake(): ArenaEvent[] {
    const all: ArenaEvent[] = [];
    for (let due = nextDue(this.room); due !== undefined && due <= this.now; due = nextDue(this.room)) {
      const decision = decide(this.room, tick, millis(this.now));
      assert.ok("events" in decision && decision.events.length > 0, "a tick that was due led to nothing");
      this.write(decision.events);
      all.push(...decision.events);
    }
    return all;
  }

  /** It is so late, and what is due by then has happened. */
  at(now: number): this {
    this.now = now;
    this.wake();
    return this;
  }

  join(...names: string[]): this {
    for (const name of names) this.do(join(name));
    return this;
  }

  move(name: string, play: string): readonly ArenaEvent[] {
    return this.do(move(name, this.matchId, play, this.room.match?.play?.turn));
  }

  report(winner: string | null): readonly ArenaEvent[] {
    return this.do(report(this.matchId, winner));
  }

  resign(name: string): readonly ArenaEvent[] {
    return this.do(resign(name, this.matchId));
  }

  /** Those of the line of whom nothing is heard. */
  silentInLine(...names: string[]): ArenaCommand | undefined {
    const silent = names.map((name) => this.ticketOf(name));
    return waitingLease.lapse(this.room, (each) => !silent.includes(each), millis(this.now));
  }

  /** Those on seats of whom nothing is heard. */
  silentOnSeats(...names: string[]): ArenaCommand | undefined {
    const silent = names.map((name) => this.ticketOf(name));
    return seatLease.lapse(this.room, (each) => !silent.includes(each), millis(this.now));
  }

  forfeit(...names: string[]): readonly ArenaEvent[] {
    return this.do({ type: "forfeit", tickets: names.map((name) => ticket(this.ticketOf(name))) });
  }

  get matchId(): MatchId {
    assert.ok(this.room.match, "no match is on");
    return this.room.match.id;
  }

  /** The match that ended last. */
  get result(): Ended {
    assert.ok(this.room.last, "no match has ended");
    return this.room.last.ended;
  }

  ticketOf(name: string): number {
    return this.placeOf(name).ticket;
  }

  placeOf(name: string) {
    const place = placeIn(this.room, person(name));
    assert.ok(place, `${name} has no place`);
    return place;
  }

  /** By label, then the line: `X ann, O bob | cid dan`. */
  get scene(): string {
    const { seats, terms } = this.room;
    const players = seats.flatMap((player, seat) =>
      player ? [`${terms.labels[seat]} ${player.person}`] : [],
    );
    return `${players.join(", ")} | ${this.line.join(" ")}`.trim();
  }

  /** By name, front to back. */
  get line(): string[] {
    return [...this.room.line].map((each) => this.room.entrants.get(each)!.person);
  }

  /** By name: matches won in a row by those on seats. */
  get streaks(): Record<string, number> {
    return Object.fromEntries(this.room.seats.flatMap((each) => (each ? [[each.person, each.streak]] : [])));
  }

  /** Whose turn it is, by name. */
  get toMove(): string[] {
    return (this.room.match?.play?.toMove ?? []).map((seat) => this.room.seats[seat]!.person);
  }
}

/** Events of one kind. */
export function only<Type extends ArenaEvent["type"]>(events: readonly ArenaEvent[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<ArenaEvent, { type: Type }>[];
}

/** The room as it is after reading the whole log again. */
export function replayed({ log }: ArenaStage): ArenaRoom {
  let room: ArenaRoom | undefined;
  for (const { at, version, events } of log)
    for (const event of JSON.parse(events) as ArenaEvent[]) room = evolve(room, event, millis(at), version);
  return room!;
}

/** A match of tic-tac-toe that this label wins, whoever begins; null for a draw. */
export function playTicTacToe(stage: ArenaStage, winner: "X" | "O" | null): readonly ArenaEvent[] {
  const { labels } = stage.room.terms;
  const nameOn = (label: string) => stage.room.seats[labels.indexOf(label)]!.person;
  const plays: Record<string, string[]> = {};
  const [first, second] = stage.toMove[0] === nameOn("X") ? ["X", "O"] : ["O", "X"];
  if (winner === null) {
    plays[first] = ["a1", "c3", "b3", "c1", "a2"];
    plays[second] = ["b2", "b1", "a3", "c2"];
  } else {
    plays[winner] = ["a1", "b1", "c1"];
    plays[winner === "X" ? "O" : "X"] = ["a2", "b2", "a3"];
  }
  const number = stage.room.match!.number;
  let events: readonly ArenaEvent[] = [];
  for (let label = first; stage.room.match?.number === number; label = label === "X" ? "O" : "X")
    events = stage.move(nameOn(label), plays[label].shift()!);
  return events;
}
