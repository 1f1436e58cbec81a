import type { Decider } from "@openseat/kernel";
import { decodeEntry } from "../../../log/entry.ts";
import type { Log, StreamName } from "../../../log/log.ts";
import { refusalFor } from "../../trouble.ts";
import { type Ask, keyReused, type Outcome, type PendingAsk } from "../asks.ts";
import { LogDamaged, loadStream } from "../stream-state.ts";

/** A stream whose entries hold the answers. */
interface Answered<State, Command, Event> {
  readonly log: Log;
  readonly stream: StreamName;
  readonly decider: Decider<State, Command, Event>;
}

/** ID1, ID2: answers requests with a key that is known already. */
export class Replays {
  /** How many are under way. */
  size = 0;

  async answer<State, Command, Event>(
    answered: Answered<State, Command, Event>,
    ask: PendingAsk<State, Command, Event>,
    version: number,
    inMemory: State | undefined,
  ): Promise<void> {
    this.size++;
    try {
      ask.resolve(await answerAgain(answered, ask, version, inMemory));
    } catch (error) {
      ask.resolve({ refusal: refusalFor(error) });
    } finally {
      this.size--;
    }
  }
}

/** The entry that a key led to gives the same answer again, if the request is the same. */
async function answerAgain<State, Command, Event>(
  { log, stream, decider }: Answered<State, Command, Event>,
  ask: Ask<Command>,
  version: number,
  inMemory: State | undefined,
): Promise<Outcome<State, Event>> {
  const line = await log.line(stream, version);
  if (line === undefined) throw new LogDamaged(stream, `it has no version ${version}`);
  const entry = decodeEntry<Event>(line);
  const state = inMemory ?? (await loadStream(log, stream, decider)).state!;
  // The memory of keys may take one for another, once in many lifetimes. Then a new key helps; a wrong answer would not.
  const isItsOwn = entry.by === ask.by && entry.key === ask.key;
  const { command } = ask;
  const same =
    isItsOwn &&
    (entry.command === decider.keys.fingerprint(command) ||
      entry.command === decider.keys.formerFingerprint?.(command));
  return same ? { entry, state, replayed: true } : { refusal: keyReused };
}
