import type { Column, Decider, Saved } from "../decider.ts";
import { Line } from "../line/line.ts";
import { Roster } from "../room/roster.ts";
import { assert, earliest, type Millis } from "../values.ts";
import type { GameCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { GameEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { placeLease } from "./leases.ts";
import { Names } from "./names.ts";
import { type GameRoom, type GameTerms, statusOf, unusedUntilIn } from "./state.ts";

/** The game decider for the host. */
export const gameDecider: Decider<GameRoom, GameCommand, GameEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },
  keys: { fingerprint },
  snapshots: { save, restore },
  presence: { leases: [placeLease], mayLease: ({ terms }) => terms.heartbeatTimeoutMs !== undefined },

  nextDue(room) {
    return room.endedAt === undefined ? earliest(room.terms.endsAt, unusedUntilIn(room)) : undefined;
  },

  listing(room) {
    const { terms, seated } = room;
    return { status: statusOf(room), summary: { ...terms, seated, waiting: room.line.length } };
  },
};

function fingerprint(command: GameCommand): string {
  if (command.type === "remove") return `remove ${command.person}`;
  if (command.type !== "create") return command.type;
  const { title, seats, waitlist, endsAt, heartbeatTimeoutMs } = command;
  const terms = [title, seats, waitlist, endsAt];
  return `create ${JSON.stringify(heartbeatTimeoutMs === undefined ? terms : [...terms, heartbeatTimeoutMs])}`;
}

function save(room: GameRoom): Saved {
  const { terms, seated, endedAt, line, roster, names } = room;
  return {
    head: { shape, terms, seated, endedAt: endedAt ?? null },
    columns: { ...roster.save(), ...names.save(), line: line.toArray() },
  };
}

function restore({ head, columns: saved }: Saved): GameRoom {
  const given = head as { shape?: number; terms: GameTerms; seated: number; endedAt: Millis | null };
  // Snapshots of the first shape had no number.
  assert(given.shape === undefined || given.shape === shape, "a snapshot of a game of an unknown shape");
  const { terms, seated, endedAt } = given;
  const columns = saved as Record<string, Column>;
  const roster = Roster.restore(columns);
  return {
    terms,
    seated,
    endedAt: endedAt ?? undefined,
    roster,
    names: Names.restore(columns),
    onSeats: undefined,
    line: Line.from(columns.line as Uint32Array),
  };
}

/** The shape of snapshots. A snapshot of another shape is not restored; the state is rebuilt from the log. */
const shape = 1;
