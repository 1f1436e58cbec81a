/** What any room may have at most, whatever its kind. */
export const roomLimits = {
  seatsMax: 1_000_000,
  /** Waiting places in one line. */
  lineLengthMax: 1_000_000,
  /** Places that one room remembers, those that were left again included. */
  ticketsMax: 4_194_304,
  /** LM7: a room that a person made and nobody has used by then ends. */
  unusedMsMax: 7 * 24 * 60 * 60 * 1000,
} as const;
