export const duelLimits = {
  /** Open duels in total. At the limit, one is evicted (LM6). */
  openMax: 100_000,
  /** Open duels that one person has opened. */
  openedByOneMax: 50,
  /** Open duels in which one person was challenged. At the limit, one of them is evicted (LM6). */
  challengesToOneMax: 200,
  /** An open duel is dropped after this time. */
  openMsMax: 7 * 24 * 60 * 60 * 1000,
  /** Finished duels that are remembered: the latest of each person, and a limit in total. The log has all of them. */
  finishedMax: 10_000,
  finishedOfOneMax: 20,
  /** Duels dropped in one entry: a crowd that expires at once must not block other commands. */
  lapsesMax: 1_000,
} as const;
