import type { WaitState } from "../state.ts";
import { retryAfterSecondsOf } from "./pace.ts";

/** What became of a question. `missing` is the server's own word that there is no place here, not some proxy's 404. */
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

/** Asks for the state. Never throws: no answer, or one that makes no sense, is a failure like any other. */
export async function askState(address: string): Promise<Answer> {
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
