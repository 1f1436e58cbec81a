import { must } from "../rule.ts";
import type { Queue } from "./queue.ts";

/** Whoever has waited longer than the patience, and everyone ahead of them, is never overtaken from then on (LN4). */
export function settle(queue: Queue): Queue {
  const isPatient = (ticket: number) =>
    queue.at - queue.places[ticket - 1].enteredAt > queue.settings.patienceMs;
  return { ...queue, settled: Math.max(queue.settled, queue.line.findLastIndex(isPatient) + 1) };
}

/** LN7: those behind move up. */
export function outOfLine(queue: Queue, ticket: number): Queue {
  const index = queue.line.indexOf(ticket);
  const settled = index < queue.settled ? queue.settled - 1 : queue.settled;
  return { ...queue, line: queue.line.filter((other) => other !== ticket), settled };
}

export function intoLine(queue: Queue, ticket: number, behind: number): Queue {
  const ahead = queue.line.length - behind;
  return { ...queue, line: [...queue.line.slice(0, ahead), ticket, ...queue.line.slice(ahead)] };
}

/** Each rule by itself over those who are overtaken, and then that there are as many of them as there should be. */
export function checkPlacing(queue: Queue, lane: number, behind: number): void {
  const { line, settled, at, settings, terms } = queue;
  const { length } = line;
  must(Number.isInteger(behind) && behind >= 0 && behind <= length, "LN2", `${behind} of ${length} behind`);
  const isImmediate = (of: number) => terms.lanes[of].immediate;
  for (const [index, ticket] of line.entries()) {
    if (index < length - behind) continue;
    const { lane: other, enteredAt } = queue.places[ticket - 1];
    const whom = `someone in lane ${lane} was placed ahead of ticket ${ticket}`;
    must(other !== lane, "LN1", `${whom}, who came before in the same lane`);
    must(at - enteredAt <= settings.patienceMs, "LN4", `${whom}, who has waited ${at - enteredAt} ms`);
    must(index >= settled, "LN6", `${whom}, who was settled at position ${index + 1}`);
    must(isImmediate(lane) || !isImmediate(other), "LN3", `${whom}, who waits for a seat alone`);
  }
  const expected = behindExpected(queue, lane);
  must(behind === expected, "LN2", `someone in lane ${lane} has ${behind} behind in place of ${expected}`);
}

/** LN2: the share of those waiting, held back by those who may not be overtaken. */
function behindExpected({ line, places, settled, terms }: Queue, lane: number): number {
  const { skips, immediate } = terms.lanes[lane];
  // In thousandths: 0.29 × 100 is a little less than 29 in floating point.
  const share = Math.floor((Math.round(skips * 1000) * line.length) / 1000);
  const laneAt = (ticket: number) => places[ticket - 1].lane;
  const lastOfLane = line.findLastIndex((ticket) => laneAt(ticket) === lane);
  const lastImmediate = line.findLastIndex((ticket) => terms.lanes[laneAt(ticket)].immediate);
  const bound = Math.max(lastOfLane + 1, immediate ? 0 : lastImmediate + 1, settled);
  return Math.min(share, line.length - bound);
}
