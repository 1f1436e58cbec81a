export const ladderLimits = {
  playersMax: 2_000_000,
  /** Of these, up to as many as a person's file may bring in: reading a larger ladder into memory would stall the server. */
  personPlayersMax: 50_000,
  matchesMax: 10_000_000,
  /** LD6. */
  scoreMax: 1_000,
  /** LD9: matches that wait to be confirmed. Past it, the oldest of whoever has reported most lapses (LM6). */
  pendingMax: 10_000,
  /** Of these, those that one player has reported. */
  pendingOfOneMax: 100,
  /** Those that one player has reported of matches against the same opponent. */
  pendingOfPairMax: 10,
  /** Those that wait for one opponent. Past it, the oldest of whoever has reported most of them lapses (LM6). */
  pendingToOneMax: 200,
  /** LD8: a match after which more have counted is not voided any more: its entry would grow without end. */
  recountMax: 100_000,
  /** The same for whoever is no operator: a deep void is felt by everybody. */
  ownRecountMax: 2_000,
  /** Of these, matches whose ratings change. Each is stored anew, so a void must not write more than a person pays for. */
  ownRecountedMax: 200,
  importRowsMax: 100_000,
  /** Imports that a ladder remembers, so that each is done once. */
  importsMax: 1_000,
  /** Rows that are counted in one entry: others play on between two of them. */
  importChunkRows: 100,
  /** LD12: streams that feed one ladder. */
  sourcesMax: 10_000,
  /** Lapses in one entry. */
  lapsesMax: 1_000,
} as const;
