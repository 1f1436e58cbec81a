import type { Ladder, LadderHandle, LadderMatch, LadderPlayer, RatingStep } from "@openseat/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLiveData } from "../../ui/hooks/use-live-data.ts";
import { notifyError } from "../../ui/notices.tsx";
import { openseat } from "../../ui/openseat.ts";

/** Refreshes less often than the standings: a chart needs more data and is not urgent. */
const everyMs = 3_000;
/** Steps in the chart and on the first page of the list. */
const historyShown = 200;
const recentShown = 8;

/** A player's page data, fetched at about the same time. */
interface PlayerSeen {
  readonly ladder: Ladder;
  /** The viewer as a player of the ladder; null if they are none. */
  readonly you: LadderPlayer | null;
  readonly version: number;
  readonly player: LadderPlayer;
  /** The newest first. */
  readonly history: readonly RatingStep[];
  /** The cursor of the next page of the history; null on the last. */
  readonly nextCursor: string | null;
  readonly recent: readonly LadderMatch[];
}

interface Watched {
  readonly handle: LadderHandle;
  readonly seen: PlayerSeen | undefined;
  readonly problem: unknown;
  /** Older steps that have been loaded. */
  readonly older: readonly RatingStep[];
  readonly showOlder: (() => void) | undefined;
  readonly refresh: () => void;
}

/** Watches a player of a ladder. */
export function useLadderPlayer(id: string, userId: string): Watched {
  const handle = useRef(openseat.ladder(id)).current;
  const [seen, setSeen] = useState<PlayerSeen | undefined>(undefined);
  const version = useRef(-1);
  const fetchAll = useCallback(async () => {
    const found = await fetchSeen(handle, userId);
    version.current = found.version;
    setSeen(found);
  }, [handle, userId]);
  const { problem, refresh } = useLiveData(handle, everyMs, version, fetchAll);
  return { handle, seen, problem, ...useOlder(handle, userId, seen), refresh };
}

async function fetchSeen(handle: LadderHandle, userId: string): Promise<PlayerSeen> {
  const [{ ladder, you, version }, player, { history, nextCursor }, { matches }] = await Promise.all([
    handle.get(),
    handle.player(userId),
    handle.history(userId, { limit: historyShown }),
    handle.matches({ player: userId, limit: recentShown }),
  ]);
  return { ladder, you, version, player, history, nextCursor, recent: matches };
}

interface Older {
  readonly steps: readonly RatingStep[];
  readonly nextCursor: string | null;
}

/** Older steps, a page at a time. They are dropped when the newest steps change, because that would leave a gap. */
function useOlder(
  handle: LadderHandle,
  userId: string,
  seen: PlayerSeen | undefined,
): Pick<Watched, "older" | "showOlder"> {
  const [older, setOlder] = useState<Older | undefined>(undefined);
  const end = seen?.nextCursor;
  useEffect(() => setOlder(undefined), [end]);
  const cursor = older ? older.nextCursor : (seen?.nextCursor ?? null);
  const show = useCallback(() => {
    if (cursor === null) return;
    handle
      .history(userId, { cursor, limit: historyShown })
      .then(
        ({ history, nextCursor }) =>
          setOlder((before) => ({ steps: [...(before?.steps ?? []), ...history], nextCursor })),
        notifyError,
      );
  }, [handle, userId, cursor]);
  return { older: older?.steps ?? none, showOlder: cursor === null ? undefined : show };
}

const none: readonly RatingStep[] = [];
