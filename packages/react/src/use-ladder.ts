import type {
  Enrolled,
  Ladder,
  LadderChange,
  LadderHandle,
  LadderPlayer,
  MatchMade,
  MatchSettled,
  NewLadderMatch,
} from "@openseat/client";
import { useMemo } from "react";
import { useOpenseat } from "./context.ts";
import { Refresher } from "./refresher.ts";
import { nothingYet, type Shared, Store, useStore } from "./store.ts";
import { useLatest } from "./use-latest.ts";

export interface LadderOptions {
  /** The place of the first player, counted from 1. */
  readonly from?: number;
  /** How many players. Default: 20. */
  readonly limit?: number;
  readonly onChanges?: (changes: readonly LadderChange[]) => void;
}

export interface LadderSeen extends Shared {
  readonly ladder: Ladder | undefined;
  /** This person as a player; null if they are none. */
  readonly you: LadderPlayer | null | undefined;
  /** The standings, from `from`. */
  readonly players: readonly LadderPlayer[];
  readonly hasMore: boolean;
}

export interface LadderActions {
  join(): Promise<Enrolled | undefined>;
  leave(): Promise<void>;
  report(match: NewLadderMatch): Promise<MatchMade | undefined>;
  confirm(match: string): Promise<MatchMade | undefined>;
  decline(match: string): Promise<MatchSettled | undefined>;
  /** Reads the standings again. Needed only without a live connection. */
  refresh(): void;
  readonly handle: LadderHandle;
}

const initial: LadderSeen = {
  ...nothingYet,
  ladder: undefined,
  you: undefined,
  players: [],
  hasMore: false,
};
const defaultLimit = 20;
/** Minimum time between two reads. */
const refreshEveryMs = 1_000;

/** A ladder whose standings update themselves. */
export function useLadder(
  id: string,
  { from = 1, limit = defaultLimit, onChanges }: LadderOptions = {},
): LadderSeen & LadderActions {
  const openseat = useOpenseat();
  const tell = useLatest(onChanges);
  const { store, actions } = useMemo(() => {
    const handle = openseat.ladder(id);
    let refresh = () => {};
    const store = new Store<LadderSeen>(initial, (store) => {
      const read = async () => {
        try {
          const [{ ladder, you }, standings] = await Promise.all([
            handle.get(),
            handle.standings({ from, limit }),
          ]);
          store.receive({ ladder, you, players: standings.players, hasMore: standings.nextCursor !== null });
        } catch (error) {
          store.fail(error);
        }
      };
      const refresher = new Refresher(read, refreshEveryMs);
      refresh = refresher.request;
      refresh();
      const stopPerson = openseat.onPerson(refresh);
      const stop = handle.watch((_, changes) => {
        if (changes.length > 0) tell(changes);
        refresh();
      }, store.fail);
      return () => {
        stop();
        stopPerson();
        refresher.stop();
      };
    });
    const actions: LadderActions = {
      join: () => store.act(() => handle.join()),
      leave: () => store.act(() => handle.leave()),
      report: (match) => store.act(() => handle.report(match)),
      confirm: (match) => store.act(() => handle.confirm(match)),
      decline: (match) => store.act(() => handle.decline(match)),
      refresh: () => refresh(),
      handle,
    };
    return { store, actions };
  }, [openseat, id, from, limit, tell]);
  return { ...useStore(store), ...actions };
}
