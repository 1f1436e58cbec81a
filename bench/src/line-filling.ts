import {
  defaultLanes,
  type PersonId,
  type QueueCommand,
  type QueueEvent,
  type QueueRoom,
  type QueueSettings,
} from "@openseat/kernel";
import type { Streams } from "@openseat/server";
import { askInOrder } from "./asked-in-order.ts";
import { keyOf, personName } from "./persons.ts";
import { hourSeconds, queueSeats } from "./room-settings.ts";

type Lines = Streams<QueueRoom, QueueCommand, QueueEvent>;

/** A line to fill: persons 1, 2, 3… enter one after the other, in rotating lanes. */
export type LineOrder = {
  readonly queue: string;
  readonly waiting: number;
  readonly lanes: readonly number[];
  readonly keyStart: string;
};

/** As long as the address hash that the server keeps of everyone who enters over HTTP. */
const address = "AAAAAAAAAAAAAAAA";

export const longLine: QueueSettings = {
  title: "A long line",
  seats: queueSeats,
  ratePerSecond: null,
  burst: 1,
  lineLengthMax: 1_000_000,
  patienceMs: 600_000,
  heartbeatTimeoutMs: hourSeconds * 1000,
  claimTimeoutMs: hourSeconds * 1000,
  sessionDurationMs: 24 * hourSeconds * 1000,
  sessionTimeoutMs: null,
  returnAddresses: [],
};

/** The people at the front take the seats; `waiting` people remain in line. */
export function peopleOf({ waiting }: { readonly waiting: number }): number {
  return waiting + queueSeats;
}

export function laneOf(person: number, lanes: readonly number[]): number {
  return lanes[person % lanes.length];
}

/** The host decides every entry and the log stores it, as over HTTP but without the network. */
export async function fillLine(
  lines: Lines,
  order: LineOrder,
  onEntered: (count: number) => void,
): Promise<void> {
  const { queue, lanes, keyStart } = order;
  const people = peopleOf(order);
  await ask(lines, queue, {
    command: {
      type: "create",
      settings: longLine,
      lanes: defaultLanes,
      placesPerAddressMax: null,
      creator: "@operator",
    },
    by: "@operator",
  });
  const enter = (number: number): Promise<void> => {
    const person = personName(number) as PersonId;
    return ask(lines, queue, {
      command: { type: "enter", person, lane: laneOf(number, lanes), onBehalf: false, address },
      by: person,
      key: keyOf(keyStart, number),
    });
  };
  await askInOrder(people, enter, onEntered);
}

async function ask(lines: Lines, queue: string, asked: Parameters<Lines["ask"]>[1]): Promise<void> {
  const outcome = await lines.ask(queue, asked);
  if ("refusal" in outcome) throw new Error(`Filling a line was refused: ${outcome.refusal.message}`);
}
