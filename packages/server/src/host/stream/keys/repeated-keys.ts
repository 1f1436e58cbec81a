import type { Decider } from "@openseat/kernel";
import type { Log, StreamName } from "../../../log/log.ts";
import { type Ask, keyReused, type AskOutcome } from "../asks.ts";
import { entryAt } from "../entries.ts";
import { loadStream } from "../stream-state.ts";

interface Answered<State, Command, Event> {
  readonly log: Log;
  readonly stream: StreamName;
  readonly decider: Decider<State, Command, Event>;
}

/** ID1, ID2: the entry that a key led to gives the same answer again, if the request is the same. */
export async function answerAgain<State, Command, Event>(
  { log, stream, decider }: Answered<State, Command, Event>,
  { command, by, key }: Ask<Command>,
  version: number,
  inMemory: State | undefined,
): Promise<AskOutcome<State, Event>> {
  const entry = await entryAt<Event>(log, stream, version);
  const state = inMemory ?? (await loadStream(log, stream, decider)).state!;
  // Two keys may have the same 64 bits. Refusing makes the client use a new key; a wrong answer would not.
  const isItsOwn = entry.by === by && entry.key === key;
  const same =
    isItsOwn &&
    (entry.command === decider.keys.fingerprint(command) ||
      entry.command === decider.keys.formerFingerprint?.(command));
  return same ? { entry, state, replayed: true } : { refusal: keyReused };
}
