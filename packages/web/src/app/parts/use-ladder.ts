import {
  type Ladder,
  type LadderHandle,
  type LadderMatch,
  type LadderPlayer,
  OpenseatError,
} from "@openseat/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { waitsFor } from "../logic/ladder-matches.ts";
import { isOn, standingSaid } from "../logic/ladders.ts";
import { pageLength } from "../logic/places.ts";
import { Refresher } from "../logic/refreshing.ts";
import { openseat } from "../openseat.ts";
import { useMe } from "./me.ts";
import { tell } from "./notices.tsx";
import { pageTiming } from "./page-timing.ts";

/** However fast matches are counted, nobody reads faster. */
const everyMs = 1_000;
const recentShown = 8;
const waitingMax = 50;

/** A ladder as it was found: all of it at about the same time. */
export interface LadderSeen {
  readonly ladder: Ladder;
  readonly you: LadderPlayer | null;
  readonly version: number;
  /** The place of the first of the players. */
  readonly from: number;
  readonly players: readonly LadderPlayer[];
  readonly hasMore: boolean;
  readonly recent: readonly LadderMatch[];
  /** Matches that wait for the viewer's word. */
  readonly waiting: readonly LadderMatch[];
}

interface Watched {
  readonly handle: LadderHandle;
  readonly seen: (LadderSeen & { readonly said: string }) | undefined;
  readonly problem: unknown;
  /** Shows the page that begins at this place. */
  readonly turnTo: (from: number) => void;
  /** After something was done here: it shows at once, also without a live connection. */
  readonly refresh: () => void;
}

/** A ladder, live: what is before the viewer's eyes is asked for again when something has changed. */
export function useLadder(id: string): Watched {
  const { me, isSettled } = useMe();
  const handle = useRef(openseat.ladder(id)).current;
  const [seen, setSeen] = useState<Watched["seen"]>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
  const from = useRef(1);
  const asked = useRef(0);
  const version = useRef(-1);
  const refresher = useRef<Refresher | undefined>(undefined);
  const look = useCallback(async () => {
    const number = ++asked.current;
    const found = await lookAt(handle, from.current);
    // What was asked for later is shown, whichever answer comes first.
    if (number !== asked.current) return;
    version.current = found.version;
    setSeen((before) => ({ ...found, said: standingSaid(before?.you, found.you) || (before?.said ?? "") }));
  }, [handle]);
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
    const stop = handle.watch((now) => now !== version.current && want(), setProblem);
    document.addEventListener("visibilitychange", want);
    return () => {
      live.stop();
      stop();
      document.removeEventListener("visibilitychange", want);
    };
  }, [isSettled, person, handle, look]);
  const turnTo = useCallback(
    (place: number) => {
      from.current = place;
      look().catch(tell);
    },
    [look],
  );
  const refresh = useCallback(() => refresher.current?.want(), []);
  return { handle, seen, problem, turnTo, refresh };
}

async function lookAt(handle: LadderHandle, from: number): Promise<LadderSeen> {
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
