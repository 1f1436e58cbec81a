import { seedOf } from "../match/chance.ts";
import type { SeatNumber } from "../match/game.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { ArenaEvent, MatchEnd, PlaceEnd, PlayedMove } from "./events.ts";
import {
  type ArenaRoom,
  type ArenaSettings,
  type Entrant,
  type Player,
  type RunningMatch,
  seatedIn,
} from "./state.ts";

/** A person with a place in the line. */
type Waiting = Pick<Entrant, "person" | "name" | "timeouts"> & { readonly ticket: TicketNumber };

/**
 * Collects the events of one entry about seats and the line before the room changes. Each event builds on the ones
 * before it.
 */
export class Rotation {
  readonly events: ArenaEvent[] = [];
  readonly #room: ArenaRoom;
  readonly #settings: ArenaSettings;
  readonly #seats: (Player | undefined)[];
  /** How many people from the front of the line have been seated. */
  #taken = 0;
  /** People who joined the back of the line. */
  readonly #back: Waiting[] = [];
  #tickets: number;
  #waiting: number;

  constructor(room: ArenaRoom, settings = room.settings) {
    this.#room = room;
    this.#settings = settings;
    this.#seats = [...room.seats];
    this.#tickets = room.roster.tickets;
    this.#waiting = room.line.length;
  }

  /**
   * Adds a person to the line. If others are waiting behind them, no seat is free, so their exact order does not
   * matter here.
   */
  enter(entrant: Entrant, behind = 0): void {
    const ticket = ++this.#tickets as TicketNumber;
    this.#waiting++;
    this.events.push({ type: "entered", ticket, ...entrant, behind, ...this.#counts });
    this.#back.push({ ticket, ...entrant });
  }

  /** Removes people from the line. */
  dropOut(ticket: TicketNumber, reason: "cancelled" | "heartbeat_timeout"): void {
    const { person } = this.#room.entrants.get(ticket)!;
    this.#waiting--;
    this.events.push({ type: "left", ticket, person, reason, ...this.#counts });
  }

  endMatch(winner: SeatNumber | null, reason: MatchEnd, now: Millis): void {
    const { match, last } = this.#room;
    assert(match !== undefined, "the end of a match without a running one");
    const players = this.#seats.flatMap((player, seat) =>
      player ? [{ seat, person: player.person, name: player.name }] : [],
    );
    const { id, number, startedAt } = match;
    const played = this.#movesIn(match, now);
    const moves = played?.length ?? 0;
    const previous = last?.version ?? null;
    this.events.push({
      type: "ended",
      match: id,
      number,
      startedAt,
      winner,
      reason,
      players,
      moves,
      previous,
      ...(played && { played }),
    });
  }

  /** The moves, including a move of this entry that ended the match. Undefined for a game played elsewhere. */
  #movesIn({ play, moveTimes, startedAt }: RunningMatch, now: Millis): PlayedMove[] | undefined {
    if (!play) return undefined;
    const earlier = play.moves.map(({ seat, move }, index): PlayedMove => [seat, move, moveTimes[index]]);
    const last = this.events.flatMap((event): PlayedMove[] =>
      event.type === "moved" ? [[event.seat, event.move, now - startedAt]] : [],
    );
    return [...earlier, ...last];
  }

  /** Takes a player off their seat and out of the arena. */
  vacate(seat: SeatNumber, reason: PlaceEnd): Player {
    const player = this.#seats[seat];
    assert(player !== undefined, "an empty seat was vacated");
    this.#seats[seat] = undefined;
    const { ticket, person } = player;
    this.events.push({ type: "left", ticket, person, reason, ...this.#counts });
    return player;
  }

  /**
   * AR5: takes players off their seats to the back of the line, with new tickets; the one seated longest comes last.
   * They go to the very back, because a lane applies only to entering.
   */
  sendBack(seats: readonly SeatNumber[], reason: PlaceEnd): void {
    const leaving = seats.map((seat) => this.vacate(seat, reason));
    leaving.sort((a, b) => b.seating - a.seating);
    for (const { person, name, timeouts } of leaving) {
      const isLate = reason === "forfeited";
      this.enter({ person, name, lane: 0, timeouts: isLate ? timeouts + 1 : 0 });
    }
  }

  /** AR1, AR3, AR4: gives free seats to the front of the line, and starts a match once all seats are taken. */
  settle(now: Millis): ArenaEvent[] {
    for (let seat = 0; seat < this.#seats.length && this.#seated < this.#settings.seats; seat++) {
      if (this.#seats[seat]) continue;
      const next = this.#next();
      if (!next) break;
      this.#waiting--;
      const { ticket, person } = next;
      this.#seats[seat] = { ...next, since: now, seating: 0, streak: 0 };
      this.events.push({ type: "seated", ticket, person, seat, ...this.#counts });
    }
    if (this.#seated >= this.#settings.seats) this.#start(now);
    return this.events;
  }

  #start(now: Millis): void {
    const { terms, matches } = this.#room;
    const number = matches + 1;
    const seed = seedOf(terms.seed, number);
    this.events.push({ type: "started", number, seed, moveBy: moveByFrom(this.#settings, now) });
  }

  #next(): Waiting | undefined {
    const { line, entrants } = this.#room;
    const ticket = line.at(this.#taken + 1);
    if (ticket === undefined) return this.#back.shift();
    this.#taken++;
    return { ticket, ...entrants.get(ticket)! };
  }

  get #seated(): number {
    return seatedIn({ seats: this.#seats });
  }

  get #counts() {
    return { seated: this.#seated, waiting: this.#waiting };
  }
}

export function moveByFrom({ moveTimeoutMs }: ArenaSettings, now: Millis): Millis | null {
  return moveTimeoutMs === null ? null : ((now + moveTimeoutMs) as Millis);
}
