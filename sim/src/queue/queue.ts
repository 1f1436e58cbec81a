import type { Millis, PlaceState, QueueCounts, QueueSettings, QueueTerms } from "@openseat/kernel";
import { must } from "../rule.ts";
import { isLive, movesAllowed } from "../specification.ts";
import { type Bucket, fullBucket } from "./bucket.ts";

export interface QueuedPlace {
  readonly ticket: number;
  readonly person: string;
  readonly lane: number;
  readonly state: PlaceState;
  readonly enteredAt: Millis;
  readonly changedAt: Millis;
  readonly enteredPosition: number;
  /** LN11: it waits, but its heartbeats stopped. */
  readonly away: boolean;
  /** When the admission or the session expires. */
  readonly until: Millis | null;
  /** Why it ended. */
  readonly reason: string | null;
  /** The version of the entry that created it. */
  readonly entry: number;
  readonly address: string | undefined;
}

/**
 * A waiting room as the specification describes it: plain arrays, copied for every entry. It shares only type names
 * with the kernel, so that a kernel bug cannot hide here.
 */
export interface Queue {
  readonly terms: QueueTerms;
  readonly settings: QueueSettings;
  readonly paused: boolean;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** Every place ever, by ticket. */
  readonly places: readonly QueuedPlace[];
  /** Waiting tickets, front first. */
  readonly line: readonly number[];
  /** The first `settled` people can no longer be overtaken (LN4). */
  readonly settled: number;
  readonly bucket: Bucket;
  /** People ever admitted. */
  readonly moved: number;
  readonly lastAdmittedAt: Millis | null;
  readonly ended: boolean;
}

/** May act for other people. */
export const operator = "operator";

export function newQueue(terms: QueueTerms, settings: QueueSettings): Queue {
  const { createdAt: at } = terms;
  const bucket = fullBucket(settings, at);
  const nobody = { places: [], line: [], settled: 0, moved: 0, lastAdmittedAt: null, ended: false };
  return { terms, settings, paused: false, at, bucket, ...nobody };
}

export const inState = ({ places }: Queue, state: PlaceState) =>
  places.filter((place) => place.state === state);

export function countsIn(queue: Queue): QueueCounts {
  return {
    waiting: inState(queue, "waiting").length,
    admitted: inState(queue, "admitted").length,
    active: inState(queue, "active").length,
    moved: queue.moved,
  };
}

/** Places whose time to claim, or whose session, is over. */
export function overdueIn({ places, at }: Queue): readonly QueuedPlace[] {
  return places.filter(
    ({ state, until }) => (state === "admitted" || state === "active") && until !== null && until <= at,
  );
}

export function livePlacesOf(queue: Queue, address: string | undefined): number {
  if (address === undefined) return 0;
  return queue.places.filter((place) => place.address === address && isLive(place)).length;
}

export function movePlace(
  queue: Queue,
  ticket: number,
  to: PlaceState,
  { until = null, reason = null }: { readonly until?: number | null; readonly reason?: string | null },
): Queue {
  const place = queue.places[ticket - 1];
  must(place !== undefined, "RM5", `there is no ticket ${ticket}`);
  must(movesAllowed[place.state].includes(to), "RM4", `a place went from ${place.state} to ${to}`);
  return changePlace(queue, {
    ...place,
    state: to,
    changedAt: queue.at,
    until: until as Millis | null,
    reason,
    away: false,
  });
}

function changePlace(queue: Queue, changed: QueuedPlace): Queue {
  return {
    ...queue,
    places: queue.places.map((other) => (other.ticket === changed.ticket ? changed : other)),
  };
}

/** LN11: marks places as away or back. Their position in the line does not change. */
export function setAway(queue: Queue, tickets: readonly number[], away: boolean): Queue {
  let after = queue;
  for (const ticket of tickets) {
    const place = after.places[ticket - 1];
    must(
      place?.state === "waiting",
      "LN11",
      `ticket ${ticket} is ${place?.state}, but becomes away or comes back`,
    );
    must(place.away !== away, "LN11", `ticket ${ticket} becomes away or comes back twice`);
    after = changePlace(after, { ...place, away });
  }
  return after;
}

/** The people of the line who are there, or who are away. */
export const inLine = ({ line, places }: Queue, away: boolean) =>
  line.filter((ticket) => places[ticket - 1].away === away);

/** One and a half times the longest heartbeat interval, which is four tenths of the lease and at most a minute. */
export function awayAfterMs({ settings }: Queue): number | null {
  const intervalMs = Math.min(60_000, settings.heartbeatTimeoutMs * 0.4);
  return intervalMs >= 2_000 ? Math.ceil(intervalMs * 1.5) : null;
}
