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
  /** Until when an admission may be claimed, or a session lasts. */
  readonly until: Millis | null;
  /** The version of the entry by which it came. */
  readonly entry: number;
  readonly address: string | undefined;
}

/**
 * A waiting room as the specification tells it: plain arrays, copied with every entry, with nothing taken over from
 * the kernel but the words. Slow and obvious, so that it can be believed.
 */
export interface Queue {
  readonly terms: QueueTerms;
  readonly settings: QueueSettings;
  readonly paused: boolean;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** Every place there ever was, by ticket. */
  readonly places: readonly QueuedPlace[];
  /** The tickets that wait, the front first. */
  readonly line: readonly number[];
  /** So many at the front are never overtaken any more (LN4). */
  readonly settled: number;
  readonly bucket: Bucket;
  /** Everyone who was ever admitted. */
  readonly moved: number;
  readonly lastAdmittedAt: Millis | null;
  readonly ended: boolean;
}

/** Who may act for anyone. */
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

/** Those whose time to claim, or whose session, is over. */
export function overdueIn({ places, at }: Queue): readonly QueuedPlace[] {
  return places.filter(
    ({ state, until }) => (state === "admitted" || state === "active") && until !== null && until <= at,
  );
}

export function livePlacesOf(queue: Queue, address: string | undefined): number {
  if (address === undefined) return 0;
  return queue.places.filter((place) => place.address === address && isLive(place)).length;
}

export function movePlace(queue: Queue, ticket: number, to: PlaceState, until: number | null = null): Queue {
  const place = queue.places[ticket - 1];
  must(place !== undefined, "RM5", `there is no ticket ${ticket}`);
  must(movesAllowed[place.state].includes(to), "RM4", `a place went from ${place.state} to ${to}`);
  const moved: QueuedPlace = { ...place, state: to, changedAt: queue.at, until: until as Millis | null };
  return { ...queue, places: queue.places.map((other) => (other === place ? moved : other)) };
}
