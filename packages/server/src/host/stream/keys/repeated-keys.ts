import type { Decider } from "@openseat/kernel";
import type { Log, StreamName } from "../../../log/log.ts";
import { type Ask, type AskOutcome, keyReused } from "../asks.ts";
import { entryAt } from "../entries.ts";
import { loadStream } from "../stream-state.ts";

interface Answered<State, Command, Event> {
  readonly log: Log;
  readonly stream: StreamName;
  readonly decider: Decider<State, Command, Event>;
}

/** ID1, ID2: answers a repeated request from the entry that its key led to. */
export async function answerAgain<State, Command, Event>(
  { log, stream, decider }: Answered<State, Command, Event>,
  { command, by, key }: Ask<Command>,
  version: number,
  inMemory: State | undefined,
): Promise<AskOutcome<State, Event>> {
  const entry = await entryAt<Event>(log, stream, version);
  const state = inMemory ?? (await loadStream(log, stream, decider)).state!;
  // Two keys may have the same 64 bits. Refuse then: the client can use a new key, but could not detect a wrong answer.
  const isItsOwn = entry.by === by && entry.key === key;
  const same =
    isItsOwn &&
    (entry.command === decider.keys.fingerprint(command) ||
      entry.command === decider.keys.formerFingerprint?.(command));
  return same ? { entry, state, replayed: true } : { refusal: keyReused };
}
