// The cost of a position in the kernel alone, in its own process: over HTTP, the network hides most of it.
import {
  defaultLanes,
  type Millis,
  type PersonId,
  type QueueCommand,
  type QueueRoom,
  type QueueSettings,
  queueDecider,
  queuePlace,
  type TicketNumber,
} from "@openseat/kernel";
import { compareCost, type KernelCost } from "./kernel-cost.ts";
import { laneOf, longLine, peopleOf } from "./line-filling.ts";
import { personName } from "./persons.ts";
import { queueSeats } from "./room-settings.ts";

export type KernelOrder = {
  readonly lanes: readonly number[];
  readonly small: number;
  readonly large: number;
  readonly rounds: number;
};

export type KernelReport = { readonly rank: KernelCost; readonly place: KernelCost };

const callsPerBlock = 50_000;
const startAt = 1_750_000_000_000;

process.once("message", (order: KernelOrder) => {
  process.send?.(measure(order));
});

function measure({ lanes, small, large, rounds }: KernelOrder): KernelReport {
  const rooms = [filledRoom(small, lanes), filledRoom(large, lanes)] as const;
  const now = (startAt + 60_000) as Millis;
  const waiting = ({ line }: QueueRoom): number => queueSeats + 1 + Math.floor(Math.random() * line.length);
  let sink = 0;
  const rank = ({ line }: QueueRoom, ticket: number): void => {
    sink += line.rank(ticket as TicketNumber);
  };
  const place = (room: QueueRoom, ticket: number): void => {
    const found = queuePlace(room, ticket as TicketNumber, personName(ticket) as PersonId, now);
    if ("refusal" in found) throw new Error(found.refusal.message);
    sink += found.position;
  };
  const blocks = { rounds, calls: callsPerBlock };
  const report = {
    rank: compareCost(rooms, blocks, waiting, rank),
    place: compareCost(rooms, blocks, waiting, place),
  };
  if (sink < 0) throw new Error("A position is negative.");
  return report;
}

/** Everyone enters under the rules; nothing is stored. */
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

process.on("disconnect", () => process.exit());
