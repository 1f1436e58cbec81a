export const duelLimits = {
  /** Duels that wait for a throw, in all. Past it, one is evicted (LM6). */
  openMax: 100_000,
  /** Of these, those that one person has opened. */
  openedByOneMax: 50,
  /** And those in which one person was challenged. Past it, one of them is evicted (LM6). */
  challengesToOneMax: 200,
  /** An open duel is dropped after so long. */
  openMsMax: 7 * 24 * 60 * 60 * 1000,
  /** Finished ones that are remembered: the latest of each person, so many in all. The log has all. */
  finishedMax: 10_000,
  finishedOfOneMax: 20,
  /** Dropped in one entry: a crowd that lapses at once must not hold up the rest. */
  lapsesMax: 1_000,
} as const;
