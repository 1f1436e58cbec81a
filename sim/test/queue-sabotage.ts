import { type QueueCommand, type QueueEvent, type QueueRoom, queueDecider } from "@openseat/kernel";
import type { Clock } from "@openseat/server";
import type { Parts } from "../src/parts.ts";
import { deciding, lasting, mistaking, queues, restoring as restoringFrom, stretched } from "./rules.ts";
import { altered, type Sabotage } from "./sabotage.ts";

export type Entered = QueueEvent & { readonly type: "entered" };
export type Lease = NonNullable<typeof queueDecider.presence>["leases"][number];

export const [waitingLease, sessionLease, awayLease] = queueDecider.presence!.leases;

/** Rules that place newcomers of one lane ahead of the number of people that `behind` returns. */
function placing(lane: number, behind: (room: QueueRoom, entered: Entered) => number): Partial<Parts> {
  return admitting((room, events, command) => {
    const [first] = events;
    // If the same entry admits a person, the line has already changed.
    const isAlone = first?.type === "entered" && events.length === 1;
    const isMeant = isAlone && command.type === "enter" && command.lane === lane;
    return isMeant ? [{ ...first, behind: behind(room, first) }] : events;
  });
}

/** Rules whose admissions are changed afterwards. */
export function admitting(
  change: (room: QueueRoom, events: readonly QueueEvent[], command: QueueCommand) => readonly QueueEvent[],
): Partial<Parts> {
  return queues(deciding(queueDecider, change));
}

export function leasing(...leases: Lease[]): Partial<Parts> {
  return queues({ presence: { leases } });
}

/** Changes how a snapshot restores the room. */
export function restoring(
  edit: (head: Record<string, unknown>, line: Uint32Array, columns: Record<string, unknown>) => void,
): Partial<Parts> {
  return queues(
    restoringFrom(queueDecider, ({ head, columns }) => {
      const copy = { head: structuredClone(head), columns: { ...columns, line: columns.line.slice() } };
      edit(copy.head as Record<string, unknown>, copy.columns.line as Uint32Array, copy.columns);
      return copy;
    }),
  );
}

const token = 1_000_000;

function withParts(room: QueueRoom, change: (parts: number) => number): QueueRoom["bucket"] {
  const { parts, at } = room.bucket.save();
  const Bucket = room.bucket.constructor as new (...terms: unknown[]) => QueueRoom["bucket"];
  return new Bucket(room.settings, at, change(parts));
}

/** The first timers fire four times too early, as if they had started before the process. */
export function hasty(clock: Clock): Clock {
  const startedAt = clock.now();
  const isYoung = () => Math.abs(clock.now() - startedAt) < 1_000;
  return { ...clock, after: (ms, run) => clock.after(isYoung() ? ms / 4 : ms, run) };
}

export const queueSabotages: readonly Sabotage[] = [
  {
    name: "a line in which the newest VIP overtakes the other VIPs",
    rules: ["LN1"],
    parts: () => placing(2, (room) => room.line.length),
  },
  {
    name: "a line that puts VIPs at the back",
    rules: ["LN2"],
    parts: () => placing(2, () => 0),
  },
  {
    name: "a line that puts VIPs ahead of premium people",
    rules: ["LN3"],
    parts: () =>
      placing(2, ({ line, particulars }, { behind }) => {
        const next = line.at(line.length - behind);
        return next !== undefined && particulars.laneOf(next) === 3 ? behind + 1 : behind;
      }),
  },
  {
    name: "a premium person who overtakes a person past patience",
    rules: ["LN4"],
    parts: () =>
      placing(3, ({ line, particulars }) => {
        const ahead = [...line].findLastIndex((ticket) => particulars.laneOf(ticket) === 3) + 1;
        return line.length - ahead;
      }),
  },
  {
    name: "a snapshot that loses who is settled",
    rules: ["LN4", "LN6"],
    parts: () =>
      restoring((head) => {
        head.precedence = { ...(head.precedence as object), settled: 0 };
      }),
  },
  {
    name: "a snapshot that sorts the line by ticket",
    rules: ["LN5"],
    parts: () => restoring((_, line) => line.sort()),
  },
  {
    name: "premium people who wait for the next tick",
    rules: ["LN3"],
    parts: () =>
      admitting(({ particulars, line }, events) => {
        const [first, second] = events;
        const front = line.front();
        const isPremium =
          (first?.type === "entered" && first.lane === 3) || (front && particulars.laneOf(front) === 3);
        return second?.type === "admitted" && isPremium ? [first] : events;
      }),
  },
  {
    name: "admissions that skip the front of the line",
    rules: ["AD4"],
    parts: () =>
      admitting(({ line }, events) =>
        events.map((event) => {
          const second = line.at(2);
          const isAlone = event.type === "admitted" && event.tickets.length === 1;
          return isAlone && second && event.tickets[0] === line.front()
            ? { ...event, tickets: [second] }
            : event;
        }),
      ),
  },
  {
    name: "a log that never finds a queue due",
    rules: ["AD4"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          due: async (now, limit) =>
            (await log.due(now, limit)).filter((stream) => !stream.startsWith("queue/")),
        }),
    }),
  },
  {
    name: "a bucket that loses fractions of a token",
    rules: ["AD2", "AD4"],
    parts: () =>
      queues({
        evolve(before, event, at, version) {
          const room = queueDecider.evolve(before, event, at, version);
          if (event.type === "admitted")
            room.bucket = withParts(room, (parts) => Math.floor(parts / token) * token);
          return room;
        },
      }),
  },
  {
    name: "a bucket that is full after a restart",
    rules: ["AD3"],
    parts: () =>
      restoring((head) => {
        const { burst } = head.settings as QueueRoom["settings"];
        head.bucket = { ...(head.bucket as object), parts: burst * token };
      }),
  },
  {
    name: "a bucket that holds one token too many",
    rules: ["AD2", "AD3"],
    parts: () => {
      const richer = (room: QueueRoom) => withParts(room, (parts) => parts + token);
      return queues({
        ...mistaking(queueDecider, (room) => ({ state: { bucket: richer(room) } })),
        evolve(room, event, at, version) {
          if (!room || event.type !== "admitted") return queueDecider.evolve(room, event, at, version);
          const kept = room.bucket;
          room.bucket = richer(room);
          queueDecider.evolve(room, event, at, version);
          room.bucket = kept;
          return room;
        },
      });
    },
  },
  {
    name: "a queue with one seat too many",
    rules: ["RM2"],
    parts: () => {
      const oneMore = ({ settings }: QueueRoom) => ({ settings: { ...settings, seats: settings.seats + 1 } });
      return queues({
        ...mistaking(queueDecider, (room) => ({ state: oneMore(room) })),
        evolve(room, event, at, version) {
          if (!room || event.type !== "admitted") return queueDecider.evolve(room, event, at, version);
          const other = queueDecider.evolve({ ...room, ...oneMore(room) }, event, at, version);
          return { ...other, settings: room.settings };
        },
      });
    },
  },
  {
    name: "a queue that does not recognise people who are already in it",
    rules: ["RM3"],
    parts: () =>
      queues({
        evolve(room, event, at, version) {
          if (event.type !== "entered") return queueDecider.evolve(room, event, at, version);
          const person = `${event.person} ${event.ticket}` as Entered["person"];
          return queueDecider.evolve(room, { ...event, person }, at, version);
        },
      }),
  },
  {
    name: "a host that ignores heartbeats",
    rules: ["LS1"],
    parts: () => ({ heartbeat: () => {} }),
  },
  {
    name: "a host that does not count a live connection as a heartbeat",
    rules: ["LS1"],
    parts: () => ({ hold: () => ({ release() {} }) }),
  },
  {
    name: "silent people who never expire",
    rules: ["LS1"],
    parts: () => leasing(lasting(waitingLease), sessionLease, awayLease),
  },
  {
    name: "silent people who expire after three leases",
    rules: ["LS1"],
    parts: () => leasing(stretched(waitingLease, 3), sessionLease, awayLease),
  },
  {
    name: "a lease that ends after half its time",
    rules: ["LS1"],
    parts: () => leasing(stretched(waitingLease, 0.5), sessionLease, awayLease),
  },
  {
    name: "silent sessions that never expire",
    rules: ["LS2"],
    parts: () => leasing(waitingLease, lasting(sessionLease), awayLease),
  },
  {
    name: "a host that expires people when it starts",
    rules: ["LS4"],
    parts: () => ({ clock: hasty }),
  },
];
