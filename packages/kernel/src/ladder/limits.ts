export const ladderLimits = {
  playersMax: 2_000_000,
  /**
   * Players that a person's import may bring a ladder to. Loading a larger ladder into memory would stall the server.
   */
  personPlayersMax: 50_000,
  matchesMax: 10_000_000,
  /** LD6. */
  scoreMax: 1_000,
  /**
   * LD9: matches that wait for confirmation. At the limit, the oldest report of the heaviest reporter lapses (LM6).
   */
  pendingMax: 10_000,
  /** Matches waiting for confirmation that one player has reported. */
  pendingOfOneMax: 100,
  /** Matches waiting for confirmation that one player has reported against the same opponent. */
  pendingOfPairMax: 10,
  /**
   * Matches that wait for one opponent. At the limit, the oldest report of the heaviest reporter among them lapses
   * (LM6).
   */
  pendingToOneMax: 200,
  /**
   * LD8: a match that more matches follow cannot be voided, because the entry of the void would grow without bound.
   */
  recountMax: 100_000,
  /** The same for everybody except operators, because a deep void changes many people's ratings. */
  ownRecountMax: 2_000,
  /**
   * Later matches whose ratings a void changes. Each is stored again, so this bounds what one person's void can write.
   */
  ownRecountedMax: 200,
  importRowsMax: 100_000,
  /** Imports that a ladder remembers, so that each file is imported only once. */
  importsMax: 1_000,
  /** Rows counted in one entry. Other commands are decided between two entries. */
  importChunkRows: 100,
  /** LD12: streams that send results to one ladder. */
  sourcesMax: 10_000,
  /** Matches that lapse in one entry. */
  lapsesMax: 1_000,
} as const;
