import {
  type ArenaRoom,
  arenaDecider,
  type GameEvent,
  type GameRoom,
  gameDecider,
  ladderDecider,
  type QueueRoom,
  queueDecider,
  seatedIn,
} from "@openseat/kernel";
import type { Sabotage } from "./sabotage.ts";

const [placeLease] = gameDecider.presence!.leases;

/** Of somebody else on a seat, if there is one. */
function otherSeat(room: GameRoom, left: GameEvent): Partial<GameEvent> {
  if (left.type !== "left") return {};
  const ticket = [...seatedIn(room)].find((each) => each !== left.ticket);
  if (!seatedIn(room).has(left.ticket) || ticket === undefined) return {};
  const name = room.names.of(ticket);
  return { ticket, person: room.roster.place(ticket).person, ...(name !== undefined && { name }) };
}

/** GM10, LS2, in worlds of games. */
export const peopleSabotages: readonly Sabotage[] = [
  {
    name: "a removed person who keeps the seat",
    rules: ["GM10"],
    parts: () => ({
      games: {
        ...gameDecider,
        decide(room, command, now) {
          const decision = gameDecider.decide(room, command, now);
          if (!room || command.type !== "remove" || !("events" in decision)) return decision;
          const [left, ...more] = decision.events;
          return { events: [{ ...left, ...otherSeat(room, left) } as GameEvent, ...more] };
        },
      },
    }),
  },
  {
    name: "a timeout in games that takes seats from people who are there",
    rules: ["LS2", "LS4"],
    parts: () => ({
      games: {
        ...gameDecider,
        presence: {
          ...gameDecider.presence!,
          leases: [{ ...placeLease, lapse: (room, _, now) => placeLease.lapse(room, () => false, now) }],
        },
      },
    }),
  },
  {
    name: "a timeout in games that never frees a seat",
    rules: ["LS2"],
    parts: () => ({
      games: {
        ...gameDecider,
        presence: { ...gameDecider.presence!, leases: [{ ...placeLease, lapse: () => undefined }] },
      },
    }),
  },
];

/** RM8, in worlds of queues. */
export const endedQueueSabotages: readonly Sabotage[] = [
  {
    name: "a waiting room that has ended, and lets people in",
    rules: ["RM8"],
    parts: () => {
      const open = (room: QueueRoom): QueueRoom => ({ ...room, endedAt: undefined });
      return {
        queues: {
          ...queueDecider,
          decide: (room, command, now) =>
            queueDecider.decide(room && command.type === "enter" ? open(room) : room, command, now),
          evolve(room, event, at, version) {
            if (room?.endedAt === undefined) return queueDecider.evolve(room, event, at, version);
            return { ...queueDecider.evolve(open(room), event, at, version), endedAt: room.endedAt };
          },
        },
      };
    },
  },
];

/** RM8, in worlds of arenas. */
export const endedArenaSabotages: readonly Sabotage[] = [
  {
    name: "an arena that has ended, and seats people",
    rules: ["RM8"],
    parts: () => {
      const open = (room: ArenaRoom): ArenaRoom => ({ ...room, endedAt: undefined });
      return {
        arenas: {
          ...arenaDecider,
          decide: (room, command, now) =>
            arenaDecider.decide(room && command.type === "join" ? open(room) : room, command, now),
          evolve(room, event, at, version) {
            if (room?.endedAt === undefined) return arenaDecider.evolve(room, event, at, version);
            return { ...arenaDecider.evolve(open(room), event, at, version), endedAt: room.endedAt };
          },
        },
      };
    },
  },
  {
    name: "a ladder that has ended, and counts what arenas send",
    rules: ["RM8"],
    parts: () => ({
      ladders: {
        ...ladderDecider,
        decide: (ladder, command, now) =>
          ladderDecider.decide(
            ladder && command.type === "deliver" ? { ...ladder, isClosed: false } : ladder,
            command,
            now,
          ),
      },
    }),
  },
];

/** RM8, in worlds of ladders. */
export const endedLadderSabotages: readonly Sabotage[] = [
  {
    name: "a ladder that has ended, and goes on",
    rules: ["RM8"],
    parts: () => ({
      ladders: {
        ...ladderDecider,
        decide: (ladder, command, now) =>
          ladderDecider.decide(
            ladder && command.type !== "end" ? { ...ladder, endedAt: undefined } : ladder,
            command,
            now,
          ),
      },
    }),
  },
];
