import { retryAfterSecondsOf, retryDelayMs } from "./pace.ts";

/** Tries an address until it answers well, and only then goes there: nothing reloads under the reader. */
export function goWhenReachable(address: string, retryAfterSeconds: number): void {
  let failures = 0;

  function tryLater(seconds: number | undefined): void {
    failures += 1;
    const retry = { failures, askAgainSeconds: retryAfterSeconds, retryAfterSeconds: seconds };
    window.setTimeout(tryNow, retryDelayMs({ ...retry, chance: Math.random() }));
  }

  async function tryNow(): Promise<void> {
    const response = await fetch(address, { cache: "no-store", redirect: "manual" }).catch(() => undefined);
    // What redirects has an answer too, though the script may not see it.
    if (response?.ok || response?.type === "opaqueredirect") location.replace(address);
    else tryLater(retryAfterSecondsOf(response?.headers.get("retry-after") ?? null));
  }

  tryLater(retryAfterSeconds);
}
