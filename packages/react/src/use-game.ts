import type { CanJoin, Game, GameChange, GameHandle, Joined } from "@openseat/client";
import { useMemo } from "react";
import { useOpenseat } from "./context.ts";
import { Refresher } from "./refresher.ts";
import { nothingYet, type Shared, Store, useStore } from "./store.ts";
import { useLatest } from "./use-latest.ts";

export interface GameOptions {
  /** Called with each game and its changes, also with those between two renders. */
  readonly onChanges?: (changes: readonly GameChange[], game: Game) => void;
}

export interface GameSeen extends Shared {
  readonly game: Game | undefined;
  /** Whether this person is in the game, and whether they could join; undefined for a client without a person. */
  readonly you: CanJoin | undefined;
}

export interface GameActions {
  join(): Promise<Joined | undefined>;
  leave(): Promise<Game | undefined>;
  readonly handle: GameHandle;
}

const initial: GameSeen = { ...nothingYet, game: undefined, you: undefined };
const refreshEveryMs = 250;

/** A game that updates itself, and this person in it. */
export function useGame(id: string, { onChanges }: GameOptions = {}): GameSeen & GameActions {
  const openseat = useOpenseat();
  const tell = useLatest(onChanges);
  const { store, actions } = useMemo(() => {
    const handle = openseat.game(id);
    const store = new Store<GameSeen>(initial, (store) => {
      const readYou = async () => {
        // Only a person has a place, and looking at a game makes no guest.
        if (openseat.me) await handle.canJoin().then((you) => store.set({ you }), store.fail);
        else store.set({ you: undefined });
      };
      const you = new Refresher(readYou, refreshEveryMs);
      const stopPerson = openseat.onPerson(you.request);
      const stop = handle.watch((game, changes) => {
        store.receive({ game });
        if (changes.length > 0) tell(changes, game);
        you.request();
      }, store.fail);
      return () => {
        stop();
        stopPerson();
        you.stop();
      };
    });
    const actions: GameActions = {
      join: () => store.act(() => handle.join()),
      leave: () => store.act(() => handle.leave()),
      handle,
    };
    return { store, actions };
  }, [openseat, id, tell]);
  return { ...useStore(store), ...actions };
}
