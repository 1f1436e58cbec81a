/** Few, so that nearly everyone waits. */
export const queueSeats = 10;

export const hourSeconds = 3600;

/** A waiting room in which nothing happens by itself while it is measured: no claim runs out, and no silence counts. */
export const calmQueue = {
  title: "The hot queue",
  maxActive: queueSeats,
  heartbeatTimeoutSeconds: hourSeconds,
  claimTimeoutSeconds: hourSeconds,
  sessionDurationSeconds: 24 * hourSeconds,
} as const;

/** The longest that a line may get. */
export const waitingMax = 1_000_000;

/** An arena in which no clock runs out while others are measured. */
export const calmArena = {
  moveTimeoutSeconds: hourSeconds,
  reconnectGraceSeconds: hourSeconds,
  heartbeatTimeoutSeconds: hourSeconds,
} as const;
