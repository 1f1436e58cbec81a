import type { ArenaHandle, OpenseatError } from "@openseat/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useMe } from "../ui/me.ts";
import { openseat } from "../ui/openseat.ts";
import { type Scene, sceneAfter, withRecent } from "./scene.ts";
import { momentOf, ServerClock } from "./table/server-clock.ts";

interface Watched {
  readonly arena: ArenaHandle;
  readonly clock: ServerClock;
  readonly scene: Scene | undefined;
  readonly problem: OpenseatError | undefined;
}

/** Watches an arena as this visitor sees it. */
export function useArena(id: string): Watched {
  const { isSettled } = useMe();
  const arena = useRef(openseat.arena(id)).current;
  const clock = useRef(new ServerClock()).current;
  const [scene, setScene] = useState<Scene | undefined>(undefined);
  const [problem, setProblem] = useState<OpenseatError | undefined>(undefined);
  useEffect(() => {
    if (!isSettled) return undefined;
    let older: Scene["recent"] = [];
    const stop = arena.watch((view, changes) => {
      const now = Date.now();
      const moment = momentOf(view, changes);
      if (moment !== undefined) clock.sync(moment, now);
      setScene((before) => {
        const after = sceneAfter(before, view, changes, openseat.me?.id, now);
        return before ? after : withRecent(after, older);
      });
    }, setProblem);
    // Ignore a failure: the arena works without the list of recent matches.
    arena.matches({ limit: 8 }).then(
      ({ matches }) => {
        older = matches;
        setScene((before) => before && withRecent(before, matches));
      },
      () => {},
    );
    return stop;
  }, [isSettled, arena, clock]);
  return { arena, clock, scene, problem };
}
