import type { Batch } from "../commit/batch.ts";
import type { PendingAsk } from "./asks.ts";

export interface Commit<State, Command, Event> {
  readonly name: "committing";
  readonly entered: number;
  decided?: {
    readonly asks: PendingAsk<State, Command, Event>[];
    readonly batch: Batch<State, Command, Event>;
  };
}

export type Activity<State, Command, Event> =
  | { readonly name: "loading" | "catching-up" }
  | Commit<State, Command, Event>;

/** Without an activity: `absent` if the state is not in memory, `stale` if others are known to have appended more, otherwise `idle`. */
export type Phase = Activity<never, never, never>["name"] | "absent" | "idle" | "stale";
