import type { WaitState } from "../state.ts";
import { retryAfterSecondsOf } from "./pace.ts";

/** `missing`: the server itself says that there is no place here. A proxy's 404 is a `failure`. */
export type Answer =
  | { readonly kind: "state"; readonly state: WaitState }
  | { readonly kind: "missing" }
  | { readonly kind: "failure"; readonly retryAfterSeconds: number | undefined };

interface Envelope {
  readonly success: boolean;
  readonly code?: string;
  readonly data?: WaitState;
}

const answerWithinMs = 10_000;
const missingStatuses = [401, 403, 404, 410];

/** Fetches the state. Never throws: a missing or malformed answer is a failure. */
export async function fetchState(address: string): Promise<Answer> {
  const stop = new AbortController();
  const timer = window.setTimeout(() => stop.abort(), answerWithinMs);
  try {
    const response = await fetch(address, { cache: "no-store", signal: stop.signal });
    const retryAfterSeconds = retryAfterSecondsOf(response.headers.get("retry-after"));
    const envelope: Envelope | undefined = await response.json().catch(() => undefined);
    if (envelope?.success && envelope.data) return { kind: "state", state: envelope.data };
    if (envelope?.code && missingStatuses.includes(response.status)) return { kind: "missing" };
    return { kind: "failure", retryAfterSeconds };
  } catch {
    return { kind: "failure", retryAfterSeconds: undefined };
  } finally {
    window.clearTimeout(timer);
  }
}
