import type { Refusal } from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";

/** A command, and who asks for it. */
export interface Ask<Command> {
  readonly command: Command;
  readonly by: string;
  readonly key?: string | undefined;
  /**
   * Asked with the state when the command would change something; what it refuses changes nothing. It may be asked again,
   * when other nodes have written meanwhile.
   */
  limit?(state: unknown): Refusal | undefined;
  /** LM4: new work is refused sooner than what has begun, when too many wait for one stream. */
  readonly isNew?: boolean;
}

/**
 * What came of it. `state` is the state of the stream at some later time: only what never changes in it may be
 * used beside the entry, or the answer to a repeated key would differ from the first.
 */
export type Outcome<State, Event> =
  | { readonly entry: Entry<Event>; readonly state: State; readonly replayed: boolean }
  | { readonly refusal: Refusal };

/** One that waits for its answer. */
export interface PendingAsk<State, Command, Event> extends Ask<Command> {
  /** How often it was decided in vain. */
  attempts: number;
  resolve(outcome: Outcome<State, Event>): void;
}

/** How often a batch is decided anew when someone else has changed the stream meanwhile. */
const attemptsMax = 5;

export const busy: Refusal = {
  code: "server.busy",
  message: "Too many are asking at once. Please try again in a moment.",
  retryable: true,
};

export const conflict: Refusal = {
  code: "room.conflict",
  message: "Others were quicker, several times over. Please try again.",
  retryable: true,
};

export const keyReused: Refusal = {
  code: "key.reused",
  message: "This idempotency key was used for another request. Nothing was changed; please use a new key.",
};

/** Those that are decided once more after a conflict. The others are refused. */
export function toDecideAgain<State, Command, Event>(
  asks: readonly PendingAsk<State, Command, Event>[],
): PendingAsk<State, Command, Event>[] {
  return asks.filter((ask) => {
    if (++ask.attempts < attemptsMax) return true;
    ask.resolve({ refusal: conflict });
    return false;
  });
}
