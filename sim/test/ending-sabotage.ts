import {
  arenaDecider,
  type GameEvent,
  type GameRoom,
  gameDecider,
  ladderDecider,
  queueDecider,
  seatedIn,
} from "@openseat/kernel";
import { arenas, deciding, endless, games, ladders, lasting, mistaking, queues } from "./rules.ts";
import type { Sabotage } from "./sabotage.ts";

const [placeLease] = gameDecider.presence!.leases;

const leasing = (...leases: (typeof placeLease)[]) =>
  games({ presence: { ...gameDecider.presence!, leases } });

/** Another person's seat, if there is one. */
function otherSeat(room: GameRoom, left: GameEvent): Partial<GameEvent> {
  if (left.type !== "left") return {};
  const ticket = [...seatedIn(room)].find((each) => each !== left.ticket);
  if (!seatedIn(room).has(left.ticket) || ticket === undefined) return {};
  const name = room.names.of(ticket);
  return { ticket, person: room.roster.place(ticket).person, ...(name !== undefined && { name }) };
}

/** GM10, LS2, in worlds with games. */
export const peopleSabotages: readonly Sabotage[] = [
  {
    name: "a removed person who keeps the seat",
    rules: ["GM10"],
    parts: () =>
      games(
        deciding(gameDecider, (room, [left, ...more], command) => {
          const other = command.type === "remove" ? otherSeat(room, left) : {};
          return [{ ...left, ...other } as GameEvent, ...more];
        }),
      ),
  },
  {
    name: "a timeout in games that takes seats from people who are there",
    rules: ["LS2", "LS4"],
    parts: () =>
      leasing({ ...placeLease, lapse: (room, _, now) => placeLease.lapse(room, () => false, now) }),
  },
  {
    name: "a timeout in games that never frees a seat",
    rules: ["LS2"],
    parts: () => leasing(lasting(placeLease)),
  },
];

/** RM8, in worlds with queues. */
export const endedQueueSabotages: readonly Sabotage[] = [
  {
    name: "a waiting room that has ended but admits people",
    rules: ["RM8"],
    parts: () => queues(endless(queueDecider, "enter")),
  },
];

/** RM8, in worlds with arenas. */
export const endedArenaSabotages: readonly Sabotage[] = [
  {
    name: "an arena that has ended but seats people",
    rules: ["RM8"],
    parts: () => arenas(endless(arenaDecider, "join")),
  },
  {
    name: "a ladder that has ended but counts results from arenas",
    rules: ["RM8"],
    // Many matches, on ladders that end soon.
    scenario: { arenas: 3, arenaThinkMs: 20, ladders: 2, ladderThinkMs: 60, ratedShare: 1 },
    parts: () =>
      ladders(
        mistaking(ladderDecider, (_, { type }) => (type === "deliver" ? { state: { isClosed: false } } : {})),
      ),
  },
];

/** RM8, in worlds with ladders. */
export const endedLadderSabotages: readonly Sabotage[] = [
  {
    name: "a ladder that has ended but continues",
    rules: ["RM8"],
    parts: () =>
      ladders(
        mistaking(ladderDecider, (_, { type }) => (type === "end" ? {} : { state: { endedAt: undefined } })),
      ),
  },
];
