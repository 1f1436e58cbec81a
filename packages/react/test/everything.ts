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

/** This person in the queue and in the game with this id. */
export function Person({ id }: { readonly id: string }): ReactNode {
  const { place, isLoading, enter } = useQueue(id);
  const { you } = useGame(id);
  const line = isLoading ? "loading" : place ? `number ${place.position}` : "not in the line";
  const text = createElement("p", null, `${line}, plays: ${you?.isParticipant}`);
  return createElement(
    "div",
    null,
    text,
    createElement("button", { type: "button", onClick: () => enter() }, "Enter"),
  );
}
