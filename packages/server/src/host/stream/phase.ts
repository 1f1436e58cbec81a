import type { Batch } from "../commit/batch.ts";
import type { PendingAsk } from "./asks.ts";

/** A commit from its start until its outcome is known. */
export interface Commit<State, Command, Event> {
  readonly name: "committing";
  /** Commands that waited at its start. */
  readonly entered: number;
  decided?: {
    readonly asks: PendingAsk<State, Command, Event>[];
    readonly batch: Batch<State, Command, Event>;
  };
}

/** What is going on in a stream, one thing at a time. */
export type Activity<State, Command, Event> =
  | { readonly name: "loading" | "catching-up" }
  | Commit<State, Command, Event>;

/** Without an activity: `absent` if the state is not in memory, `stale` if others are known to have appended more, otherwise `idle`. */
export type Phase = Activity<never, never, never>["name"] | "absent" | "idle" | "stale";
