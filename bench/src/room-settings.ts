/** Few seats, so that nearly everyone waits. */
export const queueSeats = 10;

export const hourSeconds = 3600;

/** A waiting room in which nothing expires during a measurement. */
export const calmQueue = {
  title: "The hot queue",
  maxActive: queueSeats,
  heartbeatTimeoutSeconds: hourSeconds,
  claimTimeoutSeconds: hourSeconds,
  sessionDurationSeconds: 24 * hourSeconds,
} as const;

/** The maximum length of a line. */
export const waitingMax = 1_000_000;

/** An arena in which no clock runs out during a measurement. */
export const calmArena = {
  moveTimeoutSeconds: hourSeconds,
  reconnectGraceSeconds: hourSeconds,
  heartbeatTimeoutSeconds: hourSeconds,
} as const;
