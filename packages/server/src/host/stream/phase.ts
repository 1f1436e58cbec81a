import type { Batch } from "../commit/batch.ts";
import type { PendingAsk } from "./asks.ts";

/** From when a commit was asked for until what came of it is known. */
export interface Commit<State, Command, Event> {
  readonly name: "committing";
  /** Commands that waited when it was asked for. */
  readonly entered: number;
  decided?: {
    readonly asks: PendingAsk<State, Command, Event>[];
    readonly batch: Batch<State, Command, Event>;
  };
}

/** What is going on in a stream, one thing at a time: its entries are being read from the log, or a commit has been asked for. */
export type Activity<State, Command, Event> =
  | { readonly name: "loading" | "catching-up" }
  | Commit<State, Command, Event>;

/**
 * While nothing is going on: `absent` if the state is not in memory, and `load` brings it; `stale` if others are known to have
 * appended more, and `catchUp` brings it; otherwise `idle`.
 */
export type Phase = Activity<never, never, never>["name"] | "absent" | "idle" | "stale";
