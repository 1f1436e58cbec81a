/** Limits for rooms of every kind. */
export const roomLimits = {
  seatsMax: 1_000_000,
  /** Waiting places in one line. */
  lineLengthMax: 1_000_000,
  /** Places that one room remembers, including those that were left. */
  ticketsMax: 4_194_304,
  /** LM7: a room made by a person ends if nobody has used it by then. */
  unusedMsMax: 7 * 24 * 60 * 60 * 1000,
} as const;
