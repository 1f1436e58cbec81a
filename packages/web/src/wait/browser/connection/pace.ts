const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Waiting longer than this would make a busy server look dead. */
const longestRetryAfterMs = 300_000;

/** The inputs of a retry delay. `chance` is a new random number from 0 to 1 for each retry. */
export interface Retry {
  readonly failures: number;
  readonly askAgainSeconds: number;
  readonly retryAfterSeconds?: number | undefined;
  readonly chance: number;
}

/**
 * How long to wait after the n-th failure in a row. Delays are spread out, and more so for large crowds, so that a server
 * that recovers does not get all requests in the same second.
 */
export function retryDelayMs({ failures, askAgainSeconds, retryAfterSeconds = 0, chance }: Retry): number {
  const doubled = firstRetryMs * 2 ** Math.min(failures, 10);
  const reach = Math.min(longestRetryMs, Math.max(doubled, askAgainSeconds * 500));
  const askedForMs = Math.min(longestRetryAfterMs, retryAfterSeconds * 1_000);
  return Math.round(askedForMs + reach * (askedForMs > 0 ? 0 : 0.25) + reach * chance * 0.75);
}

/** When to poll again: never later than the server asked for, because the poll is the heartbeat. */
export function askDelayMs(askAgainSeconds: number, chance: number): number {
  return Math.round(Math.max(1, askAgainSeconds) * 1_000 * (0.8 + 0.2 * chance));
}

/** How long a stream may be silent before the page polls. */
export function silenceLimitMs(askAgainSeconds: number): number {
  return Math.max(20_000, askAgainSeconds * 2_000);
}

/** The seconds of a `Retry-After` header; undefined for dates and invalid values. */
export function retryAfterSecondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
