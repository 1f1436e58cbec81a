import type { Ladder, LadderHandle, LadderMatch, LadderPlayer, RatingStep } from "@openseat/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLiveLook } from "../../ui/hooks/use-live-look.ts";
import { tell } from "../../ui/notices.tsx";
import { openseat } from "../../ui/openseat.ts";

/** A page with a chart is asked for less often: it is more to fetch, and nobody acts on it. */
const everyMs = 3_000;
/** The chart shows these, and the list begins with them. */
const historyShown = 200;
const recentShown = 8;

/** A player as they were found: all of it at about the same time. */
interface PlayerSeen {
  readonly ladder: Ladder;
  /** The viewer, as a player of the ladder. */
  readonly you: LadderPlayer | null;
  readonly version: number;
  readonly player: LadderPlayer;
  /** The newest first. */
  readonly history: readonly RatingStep[];
  /** Where there is more of it. */
  readonly nextCursor: string | null;
  readonly recent: readonly LadderMatch[];
}

interface Watched {
  readonly handle: LadderHandle;
  readonly seen: PlayerSeen | undefined;
  readonly problem: unknown;
  /** Steps beyond the newest, as far as they have been asked for. */
  readonly older: readonly RatingStep[];
  readonly showOlder: (() => void) | undefined;
  readonly refresh: () => void;
}

/** A player of a ladder, live. */
export function useLadderPlayer(id: string, userId: string): Watched {
  const handle = useRef(openseat.ladder(id)).current;
  const [seen, setSeen] = useState<PlayerSeen | undefined>(undefined);
  const version = useRef(-1);
  const look = useCallback(async () => {
    const found = await lookAt(handle, userId);
    version.current = found.version;
    setSeen(found);
  }, [handle, userId]);
  const { problem, refresh } = useLiveLook(handle, everyMs, version, look);
  return { handle, seen, problem, ...useOlder(handle, userId, seen), refresh };
}

async function lookAt(handle: LadderHandle, userId: string): Promise<PlayerSeen> {
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

/** What lies before the newest steps, a page at a time. It is let go of when those have moved on: there would be a gap. */
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
        tell,
      );
  }, [handle, userId, cursor]);
  return { older: older?.steps ?? none, showOlder: cursor === null ? undefined : show };
}

const none: readonly RatingStep[] = [];
