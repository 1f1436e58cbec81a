import type { StreamName } from "../log/log.ts";
import { refusalFor, stopping } from "./failures.ts";
import type { HostContext } from "./host-context.ts";
import { type Ask, type AskOutcome, busy } from "./stream/asks.ts";
import type { AnyMailbox } from "./stream/mailbox.ts";
import type { StreamState } from "./stream/stream-state.ts";
import type { ReadResult, StateReader } from "./streams.ts";

export class Requests {
  readonly #context: HostContext;
  shed = 0;
  #isClosed = false;

  constructor(context: HostContext) {
    this.#context = context;
  }

  close(): void {
    this.#isClosed = true;
  }

  ask<State, Command, Event>(stream: StreamName, ask: Ask<Command>): Promise<AskOutcome<State, Event>> {
    const { log, membership, cache, wake } = this.#context;
    if (this.#isClosed) return Promise.resolve({ refusal: stopping });
    const { failure } = log;
    if (failure) {
      // Do not decide anything, because a failed append drops the room from memory. AR9: people's clocks must not run out
      // meanwhile.
      membership.interrupt();
      return Promise.resolve({ refusal: refusalFor(failure) });
    }
    const mailbox = cache.take(stream);
    if (mailbox.isFullFor(ask)) {
      this.shed++;
      return Promise.resolve({ refusal: busy });
    }
    const outcome = mailbox.ask(ask);
    wake(mailbox);
    return outcome;
  }

  async read<State, T>(stream: StreamName, reader: StateReader<State, T>): Promise<ReadResult<T>> {
    if (this.#isClosed) return { refusal: stopping };
    const { clock, cache, wake } = this.#context;
    const mailbox = cache.take(stream);
    const isDue = mailbox.clock.isDue(clock.now());
    const { fresh } = mailbox;
    const see = ({ state, version }: StreamState<State>) =>
      reader(state, version, mailbox.clock.timeAt(clock.now()));
    if (fresh && !isDue) return { value: see(fresh) };
    const result = mailbox.read(see);
    if (isDue) wake(mailbox);
    else this.#serve(mailbox);
    return result;
  }

  /** Answers waiting reads once memory is known to be up to date. */
  #serve(mailbox: AnyMailbox): void {
    const { membership, wake } = this.#context;
    if (mailbox.phase !== "absent" && mailbox.reads.hasUnchecked) membership.checkVersion(mailbox);
    else wake(mailbox);
  }

  peek<State, T>(stream: StreamName, reader: StateReader<State, T>): T | undefined {
    const { clock, cache } = this.#context;
    const mailbox = cache.get(stream);
    const fresh = mailbox?.fresh;
    if (!fresh || this.#isClosed) return undefined;
    const now = clock.now();
    if (mailbox.clock.isDue(now)) return undefined;
    mailbox.usedAt = clock.elapsed();
    return reader(fresh.state, fresh.version, mailbox.clock.timeAt(now));
  }

  async lookAround<T>(prefix: string, max: number, reader: (id: string, state: never) => T): Promise<T[]> {
    const found = [...this.#context.cache.all()].filter(
      ({ stream, phase }) => stream.startsWith(prefix) && phase !== "absent",
    );
    found.sort((a, b) => b.usedAt - a.usedAt);
    const readings = found.slice(0, max).map(async (mailbox) => {
      const see = ({ state }: StreamState<unknown>) =>
        state === undefined ? [] : [reader(mailbox.stream.slice(prefix.length), state as never)];
      if (mailbox.fresh) return see(mailbox.fresh);
      const seen = mailbox.read(see);
      this.#serve(mailbox);
      const result = await seen;
      return "value" in result ? result.value : [];
    });
    return (await Promise.all(readings)).flat();
  }

  async bring(stream: StreamName): Promise<boolean> {
    const read = await this.read(stream, () => undefined);
    return !("refusal" in read && read.refusal.retryable);
  }
}
