import { OpenseatError } from "@openseat/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useMe } from "../me.ts";
import { pageTiming } from "./page-timing.ts";
import { Refresher } from "./refreshing.ts";

/** Something that reports its new versions. */
export interface Watchable {
  watch(onVersion: (version: number) => void, onRefused: (error: OpenseatError) => void): () => void;
}

interface LiveData {
  /** Why the first fetch failed. */
  readonly problem: unknown;
  /** Call after an action of the viewer, to show it at once even without a live connection. */
  readonly refresh: () => void;
}

/**
 * Fetches again after each change, at most once per `everyMs` and only while the page is visible. `version` is the version
 * of the last fetch; below zero, there was none.
 */
export function useLiveData(
  watched: Watchable,
  everyMs: number,
  version: { current: number },
  fetchData: () => Promise<void>,
): LiveData {
  const { me, isSettled } = useMe();
  const [problem, setProblem] = useState<unknown>(undefined);
  const refresher = useRef<Refresher | undefined>(undefined);
  const person = me?.id;
  useEffect(() => {
    if (!isSettled) return undefined;
    const refresh = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        await fetchData();
      } catch (error) {
        if (version.current < 0) setProblem(error);
        else if (error instanceof OpenseatError && error.retryable) live.request();
      }
    };
    const live = new Refresher(refresh, everyMs, pageTiming);
    refresher.current = live;
    const request = () => live.request();
    request();
    const stop = watched.watch((now) => now !== version.current && request(), setProblem);
    document.addEventListener("visibilitychange", request);
    return () => {
      live.stop();
      stop();
      document.removeEventListener("visibilitychange", request);
    };
  }, [isSettled, person, watched, everyMs, version, fetchData]);
  return { problem, refresh: useCallback(() => refresher.current?.request(), []) };
}
