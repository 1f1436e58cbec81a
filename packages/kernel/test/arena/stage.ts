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
} from "@openseat/kernel";
import { DeciderStage } from "../decider-stage.ts";
import { millis, person, ticket } from "../room-stage.ts";

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

/** `game` is null by default: a game played elsewhere, whose results can be reported at once. */
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

export const join = (name: string, lane = 0, rating?: number): ArenaCommand => ({
  type: "join",
  person: person(name),
  name: `The ${name}`,
  lane,
  rating,
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

export class ArenaStage extends DeciderStage<ArenaRoom, ArenaCommand, ArenaEvent> {
  constructor(terms: StageTerms = {}, now = 1_000) {
    super(arenaDecider, createArena(terms), now);
  }

  get room(): ArenaRoom {
    return this.state;
  }

  set room(room: ArenaRoom) {
    this.state = room;
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

  /** Reports that these people in the line send no heartbeats. */
  silentInLine(...names: string[]): ArenaCommand | undefined {
    const silent = names.map((name) => this.ticketOf(name));
    return waitingLease.lapse(this.room, (each) => !silent.includes(each), millis(this.now));
  }

  /** Reports that these seated players send no heartbeats. */
  silentOnSeats(...names: string[]): ArenaCommand | undefined {
    const silent = names.map((name) => this.ticketOf(name));
    return seatLease.lapse(this.room, (each) => !silent.includes(each), millis(this.now));
  }

  forfeit(...names: string[]): readonly ArenaEvent[] {
    return this.do({ type: "forfeit", tickets: names.map((name) => ticket(this.ticketOf(name))) });
  }

  get matchId(): MatchId {
    assert.ok(this.room.match, "no match is running");
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

  /** Seats by label, then the line: `X ann, O bob | cid dan`. */
  get scene(): string {
    const { seats, terms } = this.room;
    const players = seats.flatMap((player, seat) =>
      player ? [`${terms.labels[seat]} ${player.person}`] : [],
    );
    return `${players.join(", ")} | ${this.line.join(" ")}`.trim();
  }

  /** Names, front to back. */
  get line(): string[] {
    return [...this.room.line].map((each) => this.room.entrants.get(each)!.person);
  }

  /** Wins in a row of the seated players, by name. */
  get streaks(): Record<string, number> {
    return Object.fromEntries(this.room.seats.flatMap((each) => (each ? [[each.person, each.streak]] : [])));
  }

  /** The names of the players to move. */
  get toMove(): string[] {
    return (this.room.match?.play?.toMove ?? []).map((seat) => this.room.seats[seat]!.person);
  }
}

/** All events of one type. */
export function only<Type extends ArenaEvent["type"]>(events: readonly ArenaEvent[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<ArenaEvent, { type: Type }>[];
}

/** Plays a match of tic-tac-toe that this label wins, whichever label begins; null for a draw. */
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
