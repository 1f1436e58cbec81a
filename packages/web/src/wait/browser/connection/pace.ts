const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Asked for longer than this, a server would seem dead rather than busy. */
const longestRetryAfterMs = 300_000;

/** What a retry is worked out from. `chance` is a number from 0 to 1, drawn anew each time. */
export interface Retry {
  readonly failures: number;
  readonly askAgainSeconds: number;
  readonly retryAfterSeconds?: number | undefined;
  readonly chance: number;
}

/**
 * How long to wait after the n-th failure in a row. Spread widely, and wider where the server asked a large crowd to ask
 * rarely: a server that comes back must not meet everyone in the same second.
 */
export function retryDelayMs({ failures, askAgainSeconds, retryAfterSeconds = 0, chance }: Retry): number {
  const doubled = firstRetryMs * 2 ** Math.min(failures, 10);
  const reach = Math.min(longestRetryMs, Math.max(doubled, askAgainSeconds * 500));
  const askedForMs = Math.min(longestRetryAfterMs, retryAfterSeconds * 1_000);
  return Math.round(askedForMs + reach * (askedForMs > 0 ? 0 : 0.25) + reach * chance * 0.75);
}

/** When to ask again while all is well: never later than the server said, for asking is the sign of life. */
export function askDelayMs(askAgainSeconds: number, chance: number): number {
  return Math.round(Math.max(1, askAgainSeconds) * 1_000 * (0.8 + 0.2 * chance));
}

/** How long a stream may be silent before the page asks by itself. */
export function silenceLimitMs(askAgainSeconds: number): number {
  return Math.max(20_000, askAgainSeconds * 2_000);
}

/** The seconds of a `Retry-After` header; a date there, or nonsense, counts as none. */
export function retryAfterSecondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
