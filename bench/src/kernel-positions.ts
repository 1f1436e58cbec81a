// What a position costs in the kernel alone, in a process of its own: over HTTP the network hides most of it.
import {
  defaultLanes,
  type Line,
  type Millis,
  type PersonId,
  type QueueCommand,
  type QueueRoom,
  type QueueSettings,
  queueDecider,
  queuePlace,
  type TicketNumber,
} from "@openseat/kernel";
import { laneOf, longLine, peopleOf } from "./line-filling.ts";
import { personName } from "./persons.ts";
import { queueSeats } from "./room-settings.ts";
import { type Spread, spreadOf } from "./statistics.ts";

export type KernelOrder = {
  readonly lanes: readonly number[];
  readonly small: number;
  readonly large: number;
  readonly rounds: number;
};

/** Nanoseconds of one call, and how many times that of the small line the large one's is. */
export type KernelCost = { readonly smallNs: number; readonly largeNs: number; readonly times: Spread };
export type KernelReport = { readonly rank: KernelCost; readonly place: KernelCost };

const callsPerBlock = 50_000;
const warmUps = 3;
const startAt = 1_750_000_000_000;

process.once("message", (order: KernelOrder) => {
  process.send?.(measure(order));
});

function measure({ lanes, small, large, rounds }: KernelOrder): KernelReport {
  const rooms = [small, large].map((waiting) => filledRoom(waiting, lanes));
  const now = (startAt + 60_000) as Millis;
  let sink = 0;
  const rank = ({ line }: QueueRoom, ticket: TicketNumber): void => {
    sink += line.rank(ticket);
  };
  const place = (room: QueueRoom, ticket: TicketNumber): void => {
    const found = queuePlace(room, ticket, personName(ticket) as PersonId, now);
    if ("refusal" in found) throw new Error(found.refusal.message);
    sink += found.position;
  };
  const report = { rank: compare(rooms, rank, rounds), place: compare(rooms, place, rounds) };
  if (sink < 0) throw new Error("No position is below zero.");
  return report;
}

/** Everyone enters by the rules; nothing is written down. */
function filledRoom(waiting: number, lanes: readonly number[]): QueueRoom {
  let room: QueueRoom | undefined;
  let version = 0;
  const carryOut = (command: QueueCommand, at: Millis): void => {
    const decision = queueDecider.decide(room, command, at);
    if ("refusal" in decision) throw new Error(decision.refusal.message);
    version++;
    for (const event of decision.events) room = queueDecider.evolve(room, event, at, version);
  };
  const settings: QueueSettings = longLine;
  carryOut(
    { type: "create", settings, lanes: defaultLanes, placesPerAddressMax: null, creator: "@operator" },
    startAt as Millis,
  );
  const people = peopleOf({ waiting });
  for (let number = 1; number <= people; number++) {
    const person = personName(number) as PersonId;
    carryOut(
      { type: "enter", person, lane: laneOf(number, lanes), onBehalf: false },
      (startAt + Math.floor(number / 20)) as Millis,
    );
  }
  return room!;
}

/** Blocks of calls on the small and on the large room in turn, with tickets at random. */
function compare(
  rooms: readonly QueueRoom[],
  call: (room: QueueRoom, ticket: TicketNumber) => void,
  rounds: number,
): KernelCost {
  const ns: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + warmUps; round++) {
    for (const [side, room] of rooms.entries()) {
      const tickets = randomTickets(room.line);
      const startedAt = performance.now();
      for (let index = 0; index < callsPerBlock; index++) call(room, tickets[index] as TicketNumber);
      if (round >= warmUps) ns[side].push(((performance.now() - startedAt) * 1e6) / callsPerBlock);
    }
  }
  const [smallNs, largeNs] = ns.map((values) => spreadOf(values).median);
  return { smallNs, largeNs, times: spreadOf(ns[1].map((value, round) => value / ns[0][round])) };
}

function randomTickets({ length }: Line): Uint32Array {
  return Uint32Array.from(
    { length: callsPerBlock },
    () => queueSeats + 1 + Math.floor(Math.random() * length),
  );
}

process.on("disconnect", () => process.exit());
