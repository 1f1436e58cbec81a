import { queueDecider } from "@openseat/kernel";
import type { Parts } from "../src/parts.ts";
import {
  admitting,
  awayLease,
  type Entered,
  hasty,
  type Lease,
  leasing,
  restoring,
  sessionLease,
  waitingLease,
} from "./queue-sabotage.ts";
import { mistaking, queues, stretched } from "./rules.ts";
import type { Sabotage } from "./sabotage.ts";

/** Altered rules for going away and coming back. */
function absent(changes: Partial<Lease>): Partial<Parts> {
  return leasing(waitingLease, sessionLease, { ...awayLease, ...changes });
}

const { absence: _absence, ...leaseWithoutAbsence } = awayLease;

type Command = ReturnType<Lease["lapse"]>;

const ofType = (type: string, command: Command) => (command?.type === type ? command : undefined);

/** Silent places become away, and none comes back. */
const onlyAway: Lease["lapse"] = (room, isPresent, now) =>
  awayLease.lapse(room, (ticket) => !room.line.isAside(ticket) && isPresent(ticket), now);

/** LN11 and LN12: who is away, and who is admitted meanwhile. */
export const absenceSabotages: readonly Sabotage[] = [
  {
    name: "a host that marks people as away when it starts",
    rules: ["LS4"],
    parts: () => ({ ...leasing(awayLease), clock: hasty }),
  },
  {
    name: "silent people who never become away",
    rules: ["LN11"],
    parts: () =>
      absent({ lapse: (room, isPresent, now) => ofType("back", awayLease.lapse(room, isPresent, now)) }),
  },
  {
    name: "people who become away after half the time",
    rules: ["LN11"],
    parts: () => absent(stretched(awayLease, 0.5)),
  },
  {
    name: "people who are away and whose heartbeats are ignored",
    rules: ["LN11"],
    parts: () => leasing(waitingLease, sessionLease, { ...leaseWithoutAbsence, lapse: onlyAway }),
  },
  {
    name: "people who are away and only come back when the window ends",
    rules: ["LN11"],
    parts: () => leasing(waitingLease, sessionLease, leaseWithoutAbsence),
  },
  {
    name: "people who all come back when one of them does",
    rules: ["LN11"],
    parts: () =>
      queues(
        mistaking(queueDecider, (room, command) => {
          if (command.type !== "back") return {};
          return { command: { type: "back", tickets: [...room.line.asideToArray()] as Entered["ticket"][] } };
        }),
      ),
  },
  {
    name: "a queue that admits people who are away",
    rules: ["LN12"],
    parts: () =>
      admitting(({ line }, events) =>
        events.map((event) => {
          const front = line.front();
          const isPassed = front !== undefined && line.isAside(front) && events.length > 1;
          return isPassed && event.type === "admitted" && event.tickets.length === 1
            ? { ...event, tickets: [front] }
            : event;
        }),
      ),
  },
  {
    name: "a queue that admits nobody while everyone in the line is away",
    rules: ["AD4"],
    parts: () =>
      admitting(({ line }, events) => {
        const isAnyoneThere = line.presentAt(1) !== undefined || line.length === 0;
        return isAnyoneThere ? events : events.filter(({ type }) => type !== "admitted");
      }),
  },
  {
    name: "people who become away and move to the back of the line",
    rules: ["LN5", "AD4"],
    parts: () =>
      queues({
        evolve(before, event, at, version) {
          const room = queueDecider.evolve(before, event, at, version);
          if (event.type !== "away") return room;
          for (const ticket of event.tickets) {
            room.line.takeBack(ticket);
            room.line.move(ticket, () => true);
            room.line.setAside(ticket);
          }
          return room;
        },
      }),
  },
  {
    name: "people who become away and lose their place",
    rules: ["LS1", "LN11"],
    parts: () =>
      absent({
        lapse(room, isPresent, now) {
          const command = awayLease.lapse(room, isPresent, now);
          return command?.type === "away"
            ? { type: "expire", tickets: command.tickets, reason: "heartbeat_timeout" }
            : command;
        },
      }),
  },
  {
    name: "a snapshot that loses who is away",
    rules: ["LN5", "LN11", "LN12", "AD4"],
    // Rooms are evicted all the time, and no connection keeps anyone in memory.
    scenario: {
      ...{ nodes: 1, isShared: false, hasLateNumbers: false, connectedShare: 0, watchers: 0 },
      ...{ idleMs: 200, residentStreamsMax: 1, snapshotTailMin: 1 },
    },
    parts: () =>
      restoring((_head, _line, columns) => {
        delete columns.away;
      }),
  },
];
