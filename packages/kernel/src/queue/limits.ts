export const queueLimits = {
  /** Tickets in one event. With more at once, the next entry goes on. */
  eventTicketsMax: 4_096,
  /** Places that are over are forgotten, bar the newest, when there are more of them, and at least as many as live ones. */
  overKeptMax: 65_536,
} as const;
