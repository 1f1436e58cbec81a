import { OpenseatError } from "@openseat/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useMe } from "../me.ts";
import { pageTiming } from "./page-timing.ts";
import { Refresher } from "./refreshing.ts";

/** Something that reports its new versions. */
export interface Watchable {
  watch(hear: (version: number) => void, onRefused: (error: OpenseatError) => void): () => void;
}

interface Looking {
  /** Why the first fetch failed. */
  readonly problem: unknown;
  /** Call after an action of the viewer, to show it at once even without a live connection. */
  readonly refresh: () => void;
}

/**
 * Fetches again after each change, at most once per `everyMs` and only while the page is visible. `version` is the version
 * of the last fetch; below zero, there was none.
 */
export function useLiveLook(
  watched: Watchable,
  everyMs: number,
  version: { current: number },
  look: () => Promise<void>,
): Looking {
  const { me, isSettled } = useMe();
  const [problem, setProblem] = useState<unknown>(undefined);
  const refresher = useRef<Refresher | undefined>(undefined);
  const person = me?.id;
  useEffect(() => {
    if (!isSettled) return undefined;
    const ask = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        await look();
      } catch (error) {
        if (version.current < 0) setProblem(error);
        else if (error instanceof OpenseatError && error.retryable) live.want();
      }
    };
    const live = new Refresher(ask, everyMs, pageTiming);
    refresher.current = live;
    const want = () => live.want();
    want();
    const stop = watched.watch((now) => now !== version.current && want(), setProblem);
    document.addEventListener("visibilitychange", want);
    return () => {
      live.stop();
      stop();
      document.removeEventListener("visibilitychange", want);
    };
  }, [isSettled, person, watched, everyMs, version, look]);
  return { problem, refresh: useCallback(() => refresher.current?.want(), []) };
}
