import { useEffect, useState } from "preact/hooks";

/** The time, as often as asked for; it stands still while nobody needs it. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Draws again once, when that time has come. */
export function useWake(atMs: number | undefined): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (atMs === undefined) return undefined;
    // A little later: timers may ring early by a part of a millisecond, and nothing would have changed.
    const timer = setTimeout(() => setCount((count) => count + 1), atMs - Date.now() + 10);
    return () => clearTimeout(timer);
  }, [atMs]);
}
