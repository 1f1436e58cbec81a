import { useCallback, useRef, useState } from "preact/hooks";
import { useLiveLook, type Watchable } from "../../ui/hooks/use-live-look.ts";
import { openseat } from "../../ui/openseat.ts";
import { type DuelsSeen, duelsSaid } from "./duels.ts";

/** Short enough to feel instant, long enough to absorb a burst of challenges. */
const everyMs = 500;

interface Watched {
  readonly seen: (DuelsSeen & { readonly said: string }) | undefined;
  readonly problem: unknown;
  readonly refresh: () => void;
}

/** The viewer's duels, kept up to date: every change adds a line to the conversation, which triggers a refresh. */
export function useDuels(): Watched {
  const [seen, setSeen] = useState<Watched["seen"]>(undefined);
  const told = useRef(0);
  const version = useRef(-1);
  const conversation = useRef<Watchable>({
    watch: (hear, onRefused) =>
      openseat.chat().watch((now) => {
        told.current = now.version;
        hear(now.version);
      }, onRefused),
  }).current;
  const look = useCallback(async () => {
    const lastTold = told.current;
    const [nickname, duels] = await Promise.all([openseat.people.nickname(), openseat.duels().list()]);
    version.current = lastTold;
    const found = { nickname, ...duels };
    setSeen((before) => ({ ...found, said: duelsSaid(before, found) || (before?.said ?? "") }));
  }, []);
  const { problem, refresh } = useLiveLook(conversation, everyMs, version, look);
  return { seen, problem, refresh };
}
