import { useEffect, useState } from "preact/hooks";

/** The current time, updated every `everyMs`; not updated if that is undefined. */
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

/** Renders again once, at this time. */
export function useWake(atMs: number | undefined): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (atMs === undefined) return undefined;
    // Add a margin: a timer may fire a fraction of a millisecond early, when nothing has changed yet.
    const timer = setTimeout(() => setCount((count) => count + 1), atMs - Date.now() + 10);
    return () => clearTimeout(timer);
  }, [atMs]);
}
