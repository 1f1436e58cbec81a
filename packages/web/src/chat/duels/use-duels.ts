import { useCallback, useRef, useState } from "preact/hooks";
import { useLiveData, type Watchable } from "../../ui/hooks/use-live-data.ts";
import { openseat } from "../../ui/openseat.ts";
import { type DuelsSeen, duelsAnnouncement } from "./duels.ts";

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
  const chatVersion = useRef(0);
  const version = useRef(-1);
  const conversation = useRef<Watchable>({
    watch: (onVersion, onRefused) =>
      openseat.chat.watch((now) => {
        chatVersion.current = now.version;
        onVersion(now.version);
      }, onRefused),
  }).current;
  const fetchDuels = useCallback(async () => {
    const versionBefore = chatVersion.current;
    const [nickname, duels] = await Promise.all([openseat.people.nickname(), openseat.duels.list()]);
    version.current = versionBefore;
    const found = { nickname, ...duels };
    setSeen((before) => ({ ...found, said: duelsAnnouncement(before, found) || (before?.said ?? "") }));
  }, []);
  const { problem, refresh } = useLiveData(conversation, everyMs, version, fetchDuels);
  return { seen, problem, refresh };
}
