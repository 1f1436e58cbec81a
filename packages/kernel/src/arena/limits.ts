export const arenaLimits = {
  labelsMax: 16,
  /** A match that lasts longer is a draw. */
  matchMovesMax: 10_000,
  /** AR9: a player who loses this many matches in a row by the clock loses their place. */
  timeoutsMax: 2,
  /** AR10: after this many unreported matches in a row, the players lose their places. */
  unreportedMax: 10,
  /**
   * Places that are over are forgotten, except the newest, once there are more than this and at least as many as live
   * ones.
   */
  overKeptMax: 4_096,
} as const;
