import type { ArenaAtVersion, ArenaChange, ArenaHandle, ArenaPlace, MoveMade } from "@openseat/client";
import { useMemo } from "react";
import { useOpenseat } from "./context.ts";
import { nothingYet, type Shared, Store, useStore } from "./store.ts";
import { useLatest } from "./use-latest.ts";

export interface ArenaOptions {
  /** Called with each view and its changes, also with those between two renders. */
  readonly onChanges?: (changes: readonly ArenaChange[], view: ArenaAtVersion) => void;
}

export interface ArenaSeen extends Shared {
  /** Its terms. */
  readonly arena: ArenaAtVersion["arena"] | undefined;
  /** Its game: the board, the moves, the labels. */
  readonly game: ArenaAtVersion["game"] | undefined;
  /** What this person may see: the players, the line, the match. `state.you` is their own place, with the moves they can make. */
  readonly state: ArenaAtVersion["state"] | undefined;
}

export interface ArenaActions {
  join(): Promise<ArenaPlace | undefined>;
  leave(): Promise<void>;
  /** Makes a move in the match and turn that were last received. */
  move(move: string): Promise<MoveMade | undefined>;
  resign(): Promise<MoveMade | undefined>;
  readonly handle: ArenaHandle;
}

const initial: ArenaSeen = { ...nothingYet, arena: undefined, game: undefined, state: undefined };

/** An arena that updates itself, as this person may see it. */
export function useArena(id: string, { onChanges }: ArenaOptions = {}): ArenaSeen & ArenaActions {
  const openseat = useOpenseat();
  const tell = useLatest(onChanges);
  const { store, actions } = useMemo(() => {
    const handle = openseat.arena(id);
    const store = new Store<ArenaSeen>(initial, (store) =>
      handle.watch((view, changes) => {
        const { arena, game, state } = view;
        store.receive({ arena, game, state });
        if (changes.length > 0) tell(changes, view);
      }, store.fail),
    );
    const actions: ArenaActions = {
      join: () => store.act(() => handle.join()),
      leave: () => store.act(() => handle.leave()),
      move: (move) => {
        const match = store.get().state?.match;
        return store.act(() => handle.move(move, match?.id, match?.turn));
      },
      resign: () => store.act(() => handle.resign(store.get().state?.match?.id)),
      handle,
    };
    return { store, actions };
  }, [openseat, id, tell]);
  return { ...useStore(store), ...actions };
}
