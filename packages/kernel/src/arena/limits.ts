export const arenaLimits = {
  labelsMax: 16,
  /** A match that is not over by then is a draw. */
  matchMovesMax: 10_000,
  /** AR9: so many matches in a row lost by the clock, and the place is gone. */
  timeoutsMax: 2,
  /** AR10: so many matches in a row that nobody reported, and those who play are out. */
  unreportedMax: 10,
  /** Places that are over are forgotten, bar the newest, when there are more of them, and at least as many as live ones. */
  overKeptMax: 4_096,
} as const;
