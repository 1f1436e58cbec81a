import {
  defaultLanes,
  type Lane,
  type Millis,
  type PersonId,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  type QueueSettings,
  queueDecider,
  type Saved,
  type TicketNumber,
} from "@openseat/kernel";
import { queueSpecification } from "../queue/answers.ts";
import { operator, type Queue } from "../queue/queue.ts";
import { viewOfQueueRoom } from "../queue/view.ts";
import { isLive } from "../specification.ts";
import { ageOf, rowsIn } from "./key.ts";
import { type Ask, people, type SmallWorld } from "./small-world.ts";

type SmallQueue = SmallWorld<QueueRoom, QueueCommand, QueueEvent, Queue>;

const onlyLane: readonly Lane[] = [{ name: "normal", skips: 0, immediate: false }];

const usual: QueueSettings = {
  title: "Tickets",
  seats: 2,
  ratePerSecond: null,
  burst: 1,
  lineLengthMax: 2,
  patienceMs: 600_000,
  heartbeatTimeoutMs: 2_500,
  claimTimeoutMs: 1_000,
  sessionDurationMs: 1_500,
  sessionTimeoutMs: null,
  returnAddresses: [],
};

/** People ask to enter, and about their newest place, whether or not it is over. */
function asksOf(person: PersonId, { places }: Queue, lanes: readonly number[]): readonly Ask<QueueCommand>[] {
  const entering = lanes.map((lane) => {
    return { by: person, command: { type: "enter", person, lane, onBehalf: false } } as const;
  });
  const own = places.findLast((place) => place.person === person)?.ticket as TicketNumber | undefined;
  if (own === undefined) return entering;
  const other = people[(people.indexOf(person) + 1) % people.length];
  return [
    ...entering,
    { by: person, command: { type: "claim", ticket: own, person } },
    { by: person, command: { type: "complete", ticket: own, person } },
    { by: person, command: { type: "leave", ticket: own, person } },
    { by: other, command: { type: "claim", ticket: own, person: other } },
  ];
}

/** AD5: commands of an operator for the whole queue. */
const pausing: readonly Ask<QueueCommand>[] = [
  { by: operator, command: { type: "pause" } },
  { by: operator, command: { type: "resume" } },
];
const operating: readonly Ask<QueueCommand>[] = [
  ...pausing,
  { by: operator, command: { type: "configure", changes: { seats: 1 } } },
  { by: operator, command: { type: "configure", changes: { seats: 2 } } },
  { by: operator, command: { type: "end" } },
];

function terminating({ places }: Queue): readonly Ask<QueueCommand>[] {
  return places.filter(isLive).map(({ ticket }) => {
    const command = { type: "terminate", ticket: ticket as TicketNumber, person: undefined } as const;
    return { by: operator, command };
  });
}

interface Head {
  readonly terms: { readonly lanes: readonly Lane[] };
  readonly settings: QueueSettings;
  readonly paused: boolean;
  readonly precedence: { readonly settled: number; readonly passed: number };
  readonly bucket: { readonly parts: number; readonly at: Millis };
  readonly endedAt?: Millis;
}

/** The part of the state that the rules depend on. Lengths of stay and arrivals per second are left out. */
function essence(saved: Saved, now: Millis): unknown {
  const { head, columns } = saved;
  const { terms, settings, paused, precedence, bucket, endedAt } = head as unknown as Head;
  const { seats, ratePerSecond, burst, patienceMs } = settings;
  const parts = bucket.parts + (ratePerSecond ?? 0) * 1_000 * (now - bucket.at);
  // In a line with one lane nobody can be overtaken, however long they have waited.
  const ageMax = terms.lanes.length > 1 ? patienceMs + 1 : 0;
  const places = rowsIn(saved).map(({ ticket, person, isLive: lives, state }, row) => {
    const until = columns.until[row];
    const age = ageOf(columns.enteredAt[row], now, ageMax);
    const waited = lives && [columns.lane[row], age, ticket <= precedence.passed];
    return [person, state, waited, until > 0 ? until - now : until];
  });
  const tokens = Math.min(parts, burst * 1_000_000);
  return [
    seats,
    paused,
    endedAt !== undefined,
    precedence.settled,
    tokens,
    places,
    [...columns.line],
    [...(columns.away ?? [])],
  ];
}

interface Terms {
  readonly settings?: Partial<QueueSettings>;
  /** The lanes in which people enter. With more than one, the queue uses the default lanes. */
  readonly lanes?: readonly number[];
  readonly asks?: (queue: Queue) => readonly Ask<QueueCommand>[];
  readonly waitsMs?: readonly number[];
}

function queue(
  name: string,
  { settings, lanes = [0], asks = () => [], waitsMs = [] }: Terms,
  decider: typeof queueDecider,
): SmallQueue {
  const terms = {
    placesPerAddressMax: null,
    creator: operator,
    lanes: lanes.length > 1 ? defaultLanes : onlyLane,
  };
  return {
    name,
    kind: "queue",
    decider,
    specification: queueSpecification,
    create: { by: operator, command: { type: "create", settings: { ...usual, ...settings }, ...terms } },
    asks: (room) => [...people.flatMap((person) => asksOf(person as PersonId, room, lanes)), ...asks(room)],
    waitsMs,
    view: (room, _version, by, now) => viewOfQueueRoom(room, { by }, now),
    viewers: people,
    essence,
  };
}

export function smallQueues(decider = queueDecider): readonly SmallQueue[] {
  const patienceMs = 400;
  const rated = { ratePerSecond: 0.7, burst: 2 };
  const strict = { seats: 1, patienceMs, sessionTimeoutMs: 700 };
  const slow = { ratePerSecond: 0.7, patienceMs };
  const long = { patienceMs, lineLengthMax: 3 };
  const premium = { lanes: [0, 3], waitsMs: [patienceMs + 1] };
  // Long enough for some people to become away while others stay.
  const patient = { seats: 1, heartbeatTimeoutMs: 5_000, claimTimeoutMs: 9_000, sessionDurationMs: 9_000 };
  const rush = { ...patient, ratePerSecond: 0.1, patienceMs };
  const paused = { lanes: [0, 2, 3], waitsMs: [patienceMs + 1], asks: () => pausing };
  return [
    queue("a queue with a rate", { settings: rated, asks: terminating }, decider),
    queue("a queue with an operator", { asks: () => operating }, decider),
    queue("a queue with one seat and a premium lane", { settings: strict, ...premium }, decider),
    queue("a queue with a rate and a premium lane", { settings: slow, ...premium }, decider),
    queue("a queue with lanes that is paused", { settings: long, ...paused }, decider),
    queue("a queue with people who are away", { settings: patient }, decider),
    queue("a queue with a premium lane and people who are away", { settings: rush, ...premium }, decider),
  ];
}
