import type { Column, Decider, Saved } from "../decider.ts";
import { Line } from "../line/line.ts";
import { Roster } from "../room/roster.ts";
import { assert, earliest, type Millis } from "../values.ts";
import type { GameCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { GameEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { type GameRoom, type GameTerms, statusOf, unusedUntilIn } from "./game.ts";

/** Rooms, in the shape in which a host runs them. */
export const gameDecider: Decider<GameRoom, GameCommand, GameEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },

  nextDue(room) {
    return room.endedAt === undefined ? earliest(room.terms.endsAt, unusedUntilIn(room)) : undefined;
  },

  fingerprint(command) {
    if (command.type !== "create") return command.type;
    const { title, seats, waitlist, endsAt } = command;
    return `create ${JSON.stringify([title, seats, waitlist, endsAt])}`;
  },

  listing(room) {
    const { terms, seated } = room;
    return { status: statusOf(room), summary: { ...terms, seated, waiting: room.line.length } };
  },

  save(room): Saved {
    const { terms, seated, endedAt, line, roster } = room;
    return {
      head: { shape, terms, seated, endedAt: endedAt ?? null },
      columns: { ...roster.save(), line: line.toArray() },
    };
  },

  restore({ head, columns }) {
    const given = head as { shape?: number; terms: GameTerms; seated: number; endedAt: Millis | null };
    // The first shape had no number.
    assert(
      given.shape === undefined || given.shape === shape,
      "a snapshot of a game in a shape that this server does not know",
    );
    const { terms, seated, endedAt } = given;
    return {
      terms,
      seated,
      endedAt: endedAt ?? undefined,
      roster: Roster.restore(columns as Record<string, Column>),
      line: Line.from(columns.line as Uint32Array),
    };
  },
};

/** Of what is saved. A snapshot in another shape is not restored: the log has everything. */
const shape = 1;
