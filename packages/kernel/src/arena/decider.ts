import type { Column, Decider, Saved } from "../decider.ts";
import { Line } from "../line/line.ts";
import { Precedence } from "../line/precedence.ts";
import { Match, type MatchRecord } from "../match/match.ts";
import { Roster } from "../room/roster.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { ArenaCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import { effects } from "./effects.ts";
import type { ArenaEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { seatLease, waitingLease } from "./leases.ts";
import { MatchEnds } from "./match-ends.ts";
import {
  type ArenaRoom,
  arenaStatusOf,
  type Entrant,
  type FinishedMatch,
  gameOf,
  type RunningMatch,
  unusedUntilIn,
} from "./state.ts";

/** The arena decider for the host. */
export const arenaDecider: Decider<ArenaRoom, ArenaCommand, ArenaEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },
  keys: { fingerprint },
  snapshots: { save, restore },
  clock: {
    isRunning: (room) => room.match !== undefined && room.match.moveBy !== null,
    revive: { type: "revive" },
  },
  presence: { leases: [waitingLease, seatLease] },
  effects,

  nextDue(room) {
    return room.match?.moveBy ?? unusedUntilIn(room);
  },

  listing(room) {
    const { terms, settings, seats, matches } = room;
    const players = seats.flatMap((player, seat) =>
      player ? [{ label: terms.labels[seat], name: player.name, streak: player.streak }] : [],
    );
    return {
      status: arenaStatusOf(room),
      summary: { terms, settings, players, waiting: room.line.length, matches },
    };
  },
};

function fingerprint(command: ArenaCommand): string {
  switch (command.type) {
    case "create": {
      const { game, labels, lanes, settings, rated } = command;
      // In a fixed order, because a retry may send the options in another one.
      const options = Object.fromEntries(Object.entries(command.options).sort());
      const terms = [game, options, labels ?? null, lanes, settings];
      return `create ${JSON.stringify(rated ? [...terms, rated] : terms)}`;
    }
    case "configure":
      return `configure ${JSON.stringify(command.changes)}`;
    case "join":
      return command.lane === 0 ? "join" : `join ${command.lane}`;
    case "move":
      return command.turn === undefined
        ? `move ${command.match} ${command.move}`
        : `move ${command.match} ${command.move} ${command.turn}`;
    case "resign":
      return `resign ${command.match}`;
    case "report":
      return `report ${command.match} ${JSON.stringify(command.winner)}`;
    default:
      return command.type;
  }
}

function save(room: ArenaRoom): Saved {
  const { terms, settings, seats, matches, seatings, unreported, match, last, roster, line, endedAt } = room;
  return {
    head: {
      shape,
      ...{ terms, settings, seats: seats.map((player) => player ?? null), matches, seatings, unreported },
      match: match ? { ...match, play: match.play?.record ?? null, moveTimes: [...match.moveTimes] } : null,
      last: last ? { ...last, play: last.play?.record ?? null } : null,
      entrants: [...room.entrants],
      tickets: roster.tickets,
      precedence: room.precedence.save(),
      ...(endedAt !== undefined && { endedAt }),
    },
    columns: { ...roster.save(), line: line.toArray(), ends: room.ends.save() },
  };
}

/** The shape of snapshots. A snapshot of another shape is not restored; the state is rebuilt from the log. */
const shape = 4;

type SavedMatch<Kind> = Omit<Kind, "play"> & { readonly play: MatchRecord | null };

type Head = { readonly shape: number } & Pick<
  ArenaRoom,
  "terms" | "settings" | "matches" | "seatings" | "unreported"
> & {
    readonly seats: readonly (ArenaRoom["seats"][number] | null)[];
    readonly match: SavedMatch<RunningMatch> | null;
    readonly last: SavedMatch<FinishedMatch> | null;
    readonly entrants: readonly [TicketNumber, Entrant][];
    readonly tickets: number;
    readonly precedence: { readonly settled: number; readonly passed: number };
    readonly endedAt?: Millis;
  };

function restore({ head, columns: saved }: Saved): ArenaRoom {
  const columns = saved as Record<string, Column>;
  const given = head as unknown as Head;
  assert(given.shape === shape, "a snapshot of an arena of an unknown shape");
  const { terms, settings, matches, seatings, match, last } = given;
  const game = gameOf(terms);
  const played = (record: MatchRecord | null) => (game && record ? new Match(game, record) : undefined);
  const room: ArenaRoom = {
    ...{ terms, settings, game, matches, seatings, unreported: given.unreported },
    roster: Roster.restore(columns, given.tickets),
    line: Line.from(columns.line as Uint32Array),
    precedence: new Precedence(terms.lanes, given.precedence.settled, given.precedence.passed),
    entrants: new Map(given.entrants),
    seats: given.seats.map((player) => player ?? undefined),
    match: match ? { ...match, play: played(match.play) } : undefined,
    ends: new MatchEnds(columns.ends as Uint32Array),
    last: last ? { ...last, play: played(last.play) } : undefined,
    endedAt: given.endedAt,
  };
  // In ticket order, because a lane keeps its tickets in order of arrival.
  for (const [ticket, { lane }] of room.entrants)
    if (room.line.has(ticket)) room.precedence.entered(ticket, lane, room.line);
  return room;
}
