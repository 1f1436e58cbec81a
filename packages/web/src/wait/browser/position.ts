import type { WaitState } from "./state.ts";

/** FD3: where this person is now, from the last exact state and the count of people let in by now. */
export function positionNow(state: WaitState, moved: number): number {
  // A pulse may be older than the state that arrived before it: it must not push anyone back.
  return Math.max(1, state.position - Math.max(0, moved - state.moved));
}

/** How much of the way is done, from 0 for a newcomer to 1. Someone who was overtaken stands at the start, not before it. */
export function progressOf(position: number, enteredPosition: number): number {
  return Math.max(0, 1 - position / Math.max(1, enteredPosition));
}
