"use client";

export { OpenseatProvider, type OpenseatProviderProps, useOpenseat } from "./context.ts";
export type { Shared } from "./store.ts";
export { type ArenaActions, type ArenaOptions, type ArenaSeen, useArena } from "./use-arena.ts";
export { type GameActions, type GameOptions, type GameSeen, useGame } from "./use-game.ts";
export { type LadderActions, type LadderOptions, type LadderSeen, useLadder } from "./use-ladder.ts";
export { type QueueActions, type QueueSeen, useQueue } from "./use-queue.ts";
