import { createElement, type ReactNode, useRef } from "react";
import { useArena, useGame, useLadder, useQueue } from "../src/index.ts";

/** Shows what each hook returns, and how often its actions were new. */
export function Everything(): ReactNode {
  const [queue, game, arena, ladder] = [useQueue("q"), useGame("g"), useArena("a"), useLadder("l")];
  const seen = [queue, game, arena, ladder].map(({ isLoading, error }) => `${isLoading} ${error?.code}`);
  const data = [queue.place?.status, game.game?.id, arena.state?.status, ladder.players.length];
  return createElement("p", null, [...seen, ...data].join(", "));
}

/** How many different actions a component has received. */
export function StableActions({ id }: { readonly id: string }): ReactNode {
  const received = useRef(new Set<unknown>());
  const { error: _, isLoading, game, you, ...actions } = useGame(id, { onChanges: () => {} });
  for (const action of Object.values(actions)) received.current.add(action);
  const state = isLoading ? "loading" : `${game?.currentPlayers} ${you?.isParticipant}`;
  return createElement("p", null, `${state}: ${received.current.size} actions`);
}
