import { retryAfterSecondsOf, retryDelayMs } from "./pace.ts";

/** Polls an address and goes there once it answers, so that the page never reloads into another error. */
export function goWhenReachable(address: string, retryAfterSeconds: number): void {
  let failures = 0;

  function tryLater(seconds: number | undefined): void {
    failures += 1;
    const retry = { failures, askAgainSeconds: retryAfterSeconds, retryAfterSeconds: seconds };
    window.setTimeout(tryNow, retryDelayMs({ ...retry, chance: Math.random() }));
  }

  async function tryNow(): Promise<void> {
    const response = await fetch(address, { cache: "no-store", redirect: "manual" }).catch(() => undefined);
    // A redirect is a good answer too, although scripts cannot read it.
    if (response?.ok || response?.type === "opaqueredirect") location.replace(address);
    else tryLater(retryAfterSecondsOf(response?.headers.get("retry-after") ?? null));
  }

  tryLater(retryAfterSeconds);
}
