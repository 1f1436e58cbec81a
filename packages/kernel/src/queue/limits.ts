export const queueLimits = {
  /** Tickets in one event. The rest follow in the next entry. */
  eventTicketsMax: 4_096,
  /**
   * Places that are over are forgotten, except the newest, once there are more than this and at least as many as live
   * ones.
   */
  overKeptMax: 65_536,
} as const;
