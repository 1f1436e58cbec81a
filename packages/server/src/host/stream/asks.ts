import type { Refusal } from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";

export interface Ask<Command> {
  readonly command: Command;
  readonly by: string;
  readonly key?: string | undefined;
  /** Called with the state if the command would change something. It may refuse the command, and runs again after a conflict. */
  limit?(state: unknown): Refusal | undefined;
  /** LM4: when too many commands wait for one stream, new work is refused first. */
  readonly isNew?: boolean;
}

/**
 * The result of an ask. `state` may be newer than the entry: use only parts of it that never change, or a repeated key would
 * get a different answer.
 */
export type AskOutcome<State, Event> =
  | { readonly entry: Entry<Event>; readonly state: State; readonly replayed: boolean }
  | { readonly refusal: Refusal };

export interface PendingAsk<State, Command, Event> extends Ask<Command> {
  attempts: number;
  resolve(outcome: AskOutcome<State, Event>): void;
}

/** How often a command is decided before it is refused, if other nodes keep changing the stream. */
const attemptsMax = 5;

export const busy: Refusal = {
  code: "server.busy",
  message: "Too many requests are waiting for this room. Please try again in a moment.",
  retryable: true,
};

export const conflict: Refusal = {
  code: "room.conflict",
  message: "This room is changing too quickly. Please try again.",
  retryable: true,
};

export const keyReused: Refusal = {
  code: "key.reused",
  message:
    "This idempotency key was already used for a different request. Nothing was changed. Please use a new key.",
};

export function toDecideAgain<State, Command, Event>(
  asks: readonly PendingAsk<State, Command, Event>[],
): PendingAsk<State, Command, Event>[] {
  return asks.filter((ask) => {
    if (++ask.attempts < attemptsMax) return true;
    ask.resolve({ refusal: conflict });
    return false;
  });
}
