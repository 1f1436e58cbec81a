import type { Position } from "@openseat/protocol";

/** A place in a line at one moment. `position` is one more than the number of people ahead, 0 when not waiting. */
export type PlaceState = Omit<Position, "askAgainSeconds" | "moved" | "lastHeartbeatAt">;

export type PlaceStatus = PlaceState["status"];

const stages = ["WAITING", "ADMITTED", "ACTIVE"];

/** How far a place has come. Places never go back. */
export function stageOf({ status }: Pick<PlaceState, "status">): number {
  const stage = stages.indexOf(status);
  return stage < 0 ? stages.length : stage;
}

export function isOver(state: Pick<PlaceState, "status">): boolean {
  return stageOf(state) === stages.length;
}

/** The growth of the line since an answer, as one message tells everyone in it. */
export interface LineNow {
  readonly moved: number;
  readonly waiting: number;
}

/** The state from the last exact answer, and from what has happened in the line since. */
export function stateFrom(answer: Position, line: LineNow | undefined): PlaceState {
  const { askAgainSeconds: _, moved, lastHeartbeatAt: __, ...state } = answer;
  if (!line || state.status !== "WAITING") return state;
  const position = Math.max(1, state.position - Math.max(0, line.moved - moved));
  return { ...state, position, length: Math.max(position, line.waiting) };
}

export function isSameState(a: PlaceState, b: PlaceState): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(state: PlaceState) {
  return Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1));
}
