import { checkPlacing as checkPlacingIn, type LineAt, settledBy } from "../line.ts";
import type { Queue } from "./queue.ts";

function lineAt({ line, places, settled, at, settings, terms }: Queue): LineAt {
  const waiting = line.map((ticket) => places[ticket - 1]);
  return { line: waiting, settled, at, patienceMs: settings.patienceMs, lanes: terms.lanes };
}

export function settle(queue: Queue): Queue {
  return { ...queue, settled: settledBy(lineAt(queue)) };
}

/** LN7: the people behind move up. */
export function outOfLine(queue: Queue, ticket: number): Queue {
  const index = queue.line.indexOf(ticket);
  const settled = index < queue.settled ? queue.settled - 1 : queue.settled;
  return { ...queue, line: queue.line.filter((other) => other !== ticket), settled };
}

export function intoLine(queue: Queue, ticket: number, behind: number): Queue {
  const ahead = queue.line.length - behind;
  return { ...queue, line: [...queue.line.slice(0, ahead), ticket, ...queue.line.slice(ahead)] };
}

export function checkPlacing(queue: Queue, lane: number, behind: number): void {
  checkPlacingIn(lineAt(queue), lane, behind);
}
