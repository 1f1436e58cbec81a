import type { Ladder, LadderHandle, LadderMatch, LadderPlayer } from "@openseat/client";
import { useCallback, useRef, useState } from "preact/hooks";
import { useLiveData } from "../ui/hooks/use-live-data.ts";
import { notifyError } from "../ui/notices.tsx";
import { openseat } from "../ui/openseat.ts";
import { waitsFor } from "./match-words.ts";
import { pageLength } from "./places.ts";
import { isOn, standingAnnouncement } from "./standing.ts";

/** Refresh at most this often: nobody reads faster, however many matches count. */
const everyMs = 1_000;
const recentShown = 8;
const waitingMax = 50;

/** The ladder page's data, fetched at about the same time. */
export interface LadderSeen {
  readonly ladder: Ladder;
  readonly you: LadderPlayer | null;
  readonly version: number;
  /** The place of the first player on the page. */
  readonly from: number;
  readonly players: readonly LadderPlayer[];
  readonly hasMore: boolean;
  readonly recent: readonly LadderMatch[];
  /** Matches that wait for the viewer to confirm them. */
  readonly waiting: readonly LadderMatch[];
}

interface Watched {
  readonly handle: LadderHandle;
  readonly seen: (LadderSeen & { readonly said: string }) | undefined;
  readonly problem: unknown;
  /** Shows the page that starts at this place. */
  readonly showFrom: (from: number) => void;
  /** Call after an action of the viewer, to show it at once even without a live connection. */
  readonly refresh: () => void;
}

/** Watches a ladder: fetches the visible data again after each change. */
export function useLadder(id: string): Watched {
  const handle = useRef(openseat.ladder(id)).current;
  const [seen, setSeen] = useState<Watched["seen"]>(undefined);
  const from = useRef(1);
  const asked = useRef(0);
  const version = useRef(-1);
  const fetchAll = useCallback(async () => {
    const number = ++asked.current;
    const found = await fetchSeen(handle, from.current);
    // Ignore an answer that a later request has overtaken.
    if (number !== asked.current) return;
    version.current = found.version;
    setSeen((before) => ({
      ...found,
      said: standingAnnouncement(before?.you, found.you) || (before?.said ?? ""),
    }));
  }, [handle]);
  const { problem, refresh } = useLiveData(handle, everyMs, version, fetchAll);
  const showFrom = useCallback(
    (place: number) => {
      from.current = place;
      fetchAll().catch(notifyError);
    },
    [fetchAll],
  );
  return { handle, seen, problem, showFrom, refresh };
}

async function fetchSeen(handle: LadderHandle, from: number): Promise<LadderSeen> {
  const [{ ladder, you, version }, standings, { matches }] = await Promise.all([
    handle.get(),
    handle.standings({ from, limit: pageLength }),
    handle.matches({ limit: recentShown }),
  ]);
  const waiting = isOn(you) && ladder.pending > 0 ? await waitingFor(handle, you.userId) : [];
  const { players, nextCursor } = standings;
  return { ladder, you, version, from, players, hasMore: nextCursor !== null, recent: matches, waiting };
}

async function waitingFor(handle: LadderHandle, me: string): Promise<LadderMatch[]> {
  const { matches } = await handle.matches({ status: "pending", player: me, limit: waitingMax });
  return matches.filter((match) => waitsFor(match, me));
}
