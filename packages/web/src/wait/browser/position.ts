import type { WaitState } from "./state.ts";

/** FD3: the current position, from the last exact state and the number of people let in since. */
export function positionNow(state: WaitState, moved: number): number {
  // A pulse may be older than the state that arrived before it: it must not push anyone back.
  return Math.max(1, state.position - Math.max(0, moved - state.moved));
}

/** The share of the way that is done, from 0 to 1; never below 0, even if the person was overtaken. */
export function progressOf(position: number, enteredPosition: number): number {
  return Math.max(0, 1 - position / Math.max(1, enteredPosition));
}
