import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { QueueEvent } from "@openseat/kernel";
import { decodeEntry } from "@openseat/server";
import type { Admission } from "./admission-checks.ts";

export type QueueHistory = {
  readonly admissions: readonly Admission[];
  /** By ticket. */
  readonly laneOf: ReadonlyMap<number, number>;
  /** The maximum number of people inside at the same time. */
  readonly insideMax: number;
  readonly completed: number;
};

/** Reads one queue from the log of a stopped server with plain SQL. */
export function readQueueLog(folder: string, queue: string): QueueHistory {
  const database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  const admissions: Admission[] = [];
  const laneOf = new Map<number, number>();
  let insideMax = 0;
  let completed = 0;
  const note = (event: QueueEvent, at: number): void => {
    if (event.type === "created") return;
    insideMax = Math.max(insideMax, event.admitted + event.active);
    if (event.type === "entered") laneOf.set(event.ticket, event.lane);
    else if (event.type === "completed") completed++;
    else if (event.type === "admitted")
      for (const ticket of event.tickets) admissions.push({ ticket, lane: laneOf.get(ticket)!, at });
  };
  try {
    const batches = database
      .prepare("SELECT lines FROM batches JOIN streams ON stream = number WHERE name = ? ORDER BY first")
      .iterate(`queue/${queue}`);
    for (const { lines } of batches) {
      for (const line of (lines as string).split("\n")) {
        const { at, events } = decodeEntry<QueueEvent>(line);
        for (const event of events) note(event, at);
      }
    }
  } finally {
    database.close();
  }
  return { admissions, laneOf, insideMax, completed };
}
