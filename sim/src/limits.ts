import { arenaLimits, directoryLimits, duelLimits, ladderLimits, roomLimits } from "@openseat/kernel";

/** The limits, in the specification's terms. */
export interface Limits {
  /** LM7: a room that nobody uses ends after this time. */
  readonly unusedMs: number;
  /** LD9: matches waiting for confirmation: in all, per reporter, per reporter and opponent, per opponent. */
  readonly pending: number;
  readonly pendingOfOne: number;
  readonly pendingOfPair: number;
  readonly pendingToOne: number;
  /** LD8: the most later matches that a person's void may recount. */
  readonly recounted: number;
  /** AR10: players leave after this many unreported matches in a row. */
  readonly unreported: number;
  /** CH4: open duels: in all, per opener, per opponent. */
  readonly duels: number;
  readonly duelsOfOne: number;
  readonly challenges: number;
  readonly people: number;
  readonly conversations: number;
  /** Notices per hour: per recipient, per sender, and per sender and recipient on a channel. */
  readonly notices: number;
  readonly noticesFromOne: number;
  readonly noticesOfPair: number;
}

const usual: Limits = {
  unusedMs: 7 * 24 * 3_600_000,
  ...{ pending: 10_000, pendingOfOne: 100, pendingOfPair: 10, pendingToOne: 200, recounted: 200 },
  unreported: 10,
  ...{ duels: 100_000, duelsOfOne: 50, challenges: 200 },
  ...{ people: 100_000, conversations: 100_000 },
  ...{ notices: 100, noticesFromOne: 30, noticesOfPair: 5 },
};

/** Small enough to be reached within seconds. */
const tight: Limits = {
  unusedMs: 1_500,
  ...{ pending: 5, pendingOfOne: 4, pendingOfPair: 2, pendingToOne: 3, recounted: 4 },
  unreported: 2,
  ...{ duels: 3, duelsOfOne: 2, challenges: 2 },
  ...{ people: 5, conversations: 5 },
  ...{ notices: 12, noticesFromOne: 4, noticesOfPair: 2 },
};

/** The limits of the current world; only one world runs at a time. */
export const limits: Limits = { ...usual };

/** Sets the limits of both model and kernel. */
export function setLimits(isTight: boolean): void {
  Object.assign(limits, isTight ? tight : usual);
  Object.assign(arenaLimits, { unreportedMax: limits.unreported });
  Object.assign(roomLimits, { unusedMsMax: limits.unusedMs });
  Object.assign(ladderLimits, {
    pendingMax: limits.pending,
    pendingOfOneMax: limits.pendingOfOne,
    pendingOfPairMax: limits.pendingOfPair,
    pendingToOneMax: limits.pendingToOne,
    ownRecountedMax: limits.recounted,
  });
  Object.assign(duelLimits, {
    openMax: limits.duels,
    openedByOneMax: limits.duelsOfOne,
    challengesToOneMax: limits.challenges,
  });
  Object.assign(directoryLimits, {
    peopleMax: limits.people,
    conversationsMax: limits.conversations,
    noticesMax: limits.notices,
    noticesFromOneMax: limits.noticesFromOne,
    noticesOfPairMax: limits.noticesOfPair,
  });
}

/** LM7: the time at which an unused room ends. */
export function unusedUntil({
  creator,
  createdAt,
}: {
  readonly creator: string;
  readonly createdAt: number;
}) {
  return creator.startsWith("@") ? undefined : createdAt + limits.unusedMs;
}

/** LM6: the oldest item of the person with the most. */
export function oldestOfHeaviest<Item>(
  items: readonly Item[],
  senderOf: (item: Item) => unknown,
  weighed: readonly Item[] = items,
): Item | undefined {
  const weight = (item: Item) => weighed.filter((each) => senderOf(each) === senderOf(item)).length;
  const heaviest = Math.max(...items.map(weight));
  return items.find((item) => weight(item) === heaviest);
}
