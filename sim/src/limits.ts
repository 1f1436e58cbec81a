import { arenaLimits, directoryLimits, duelLimits, ladderLimits, roomLimits } from "@openseat/kernel";

/** How much there may be, in the words of the specification. */
export interface Limits {
  /** LM7: a room that nobody has used ends after so long. */
  readonly unusedMs: number;
  /** LD9: matches that wait to be confirmed: in all, of one reporter, of one reporter against one opponent, for one opponent. */
  readonly pending: number;
  readonly pendingOfOne: number;
  readonly pendingOfPair: number;
  readonly pendingToOne: number;
  /** LD8: later matches that are rated anew, at most, when a person voids one. */
  readonly recounted: number;
  /** AR10: matches in a row that nobody reports, after which those who play are out. */
  readonly unreported: number;
  /** CH4: open duels: in all, of one who opened them, of one who was challenged. */
  readonly duels: number;
  readonly duelsOfOne: number;
  readonly challenges: number;
  readonly people: number;
  readonly conversations: number;
  /** In an hour: what one is told, what one has others told, and has the same person told on a channel. */
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

/** So little that all of it is used up within seconds. */
const tight: Limits = {
  unusedMs: 1_500,
  ...{ pending: 5, pendingOfOne: 4, pendingOfPair: 2, pendingToOne: 3, recounted: 4 },
  unreported: 2,
  ...{ duels: 3, duelsOfOne: 2, challenges: 2 },
  ...{ people: 5, conversations: 5 },
  ...{ notices: 12, noticesFromOne: 4, noticesOfPair: 2 },
};

/** Those of the world that is simulated now: there is one at a time. */
export const limits: Limits = { ...usual };

/** For the judge and for the kernel, each in their own words. */
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

/** LM7: when a room ends unless somebody uses it. */
export function unusedUntil({
  creator,
  createdAt,
}: {
  readonly creator: string;
  readonly createdAt: number;
}) {
  return creator.startsWith("@") ? undefined : createdAt + limits.unusedMs;
}

/** LM6: of those who have most waiting, the oldest. */
export function oldestOfHeaviest<Item>(
  items: readonly Item[],
  senderOf: (item: Item) => unknown,
  weighed: readonly Item[] = items,
): Item | undefined {
  const weight = (item: Item) => weighed.filter((each) => senderOf(each) === senderOf(item)).length;
  const heaviest = Math.max(...items.map(weight));
  return items.find((item) => weight(item) === heaviest);
}
