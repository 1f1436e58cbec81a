import type { Decider } from "@openseat/kernel";
import { decodeEntry } from "../../log/entry.ts";
import type { Log, StreamName } from "../../log/log.ts";
import { refusalFor } from "../trouble.ts";
import { type Ask, keyReused, type Outcome, type PendingAsk } from "./asks.ts";
import { LogDamaged, loadStream } from "./stream-state.ts";

/** ID1, ID2: answers requests with a key that is known already. */
export class Replays<State, Command, Event> {
  readonly #log: Log;
  readonly #stream: StreamName;
  readonly #decider: Decider<State, Command, Event>;
  /** How many are under way. */
  size = 0;

  constructor(log: Log, stream: StreamName, decider: Decider<State, Command, Event>) {
    this.#log = log;
    this.#stream = stream;
    this.#decider = decider;
  }

  async answer(
    ask: PendingAsk<State, Command, Event>,
    version: number,
    inMemory: State | undefined,
  ): Promise<void> {
    this.size++;
    const where = { log: this.#log, stream: this.#stream, decider: this.#decider };
    try {
      ask.resolve(await answerAgain(where, ask, version, inMemory));
    } catch (error) {
      ask.resolve({ refusal: refusalFor(error) });
    } finally {
      this.size--;
    }
  }
}

/** The entry that a key led to gives the same answer again, if the request is the same. */
async function answerAgain<State, Command, Event>(
  { log, stream, decider }: { log: Log; stream: StreamName; decider: Decider<State, Command, Event> },
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
    (entry.command === decider.fingerprint(command) ||
      entry.command === decider.formerFingerprint?.(command));
  return same ? { entry, state, replayed: true } : { refusal: keyReused };
}
