import type { Clock, Timer } from "../clock.ts";
import { type Log, LogUnavailable, type StreamName } from "../log/log.ts";
import { checkStream, type Damage } from "./stream-check.ts";

/** Working time before each pause. A slice may exceed it by one read. */
const workMs = 3;
/** Each pause takes this many times as long as the work before it, so the check slows down on a busy server. */
const pauseFactor = 9;
const pauseMsMax = 10_000;
const retryMs = 1_000;
/** A stream is damaged if this many reads fail while the log answers. A single failure may be a lost connection. */
const attemptsMax = 3;
const streamsAtOnce = 100;

interface LogCheckDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly kinds: readonly string[];
  readonly onDamage: (stream: StreamName, damage: Damage) => void;
  readonly onEnd: (streams: number) => void;
  readonly onError: (error: unknown) => void;
}

/** LG9: reads the whole log once after the start, in the background, to find damage before a person does. */
export class LogCheck {
  readonly #deps: LogCheckDeps;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #endPause = () => {};
  #workingSince = 0;

  constructor(deps: LogCheckDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#run().catch(this.#deps.onError);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, onEnd } = this.#deps;
    let streams = 0;
    this.#workingSince = clock.elapsed();
    for (const kind of this.#deps.kinds) {
      for await (const stream of this.#streamsOf(kind)) {
        await this.#check(stream);
        if (this.#isStopped) return;
        streams++;
      }
    }
    // A stop while streams were listed has ended the loop early.
    if (!this.#isStopped) onEnd(streams);
  }

  /** Newest first, so that streams created meanwhile are left out. */
  async *#streamsOf(kind: string): AsyncGenerator<StreamName> {
    for (let before: number | undefined; ; ) {
      const query = { kind, limit: streamsAtOnce, ...(before !== undefined && { before }) };
      const page = await this.#patiently(() => this.#deps.log.list(query));
      for (const { stream } of page ?? []) yield stream;
      if (!page || page.length < streamsAtOnce) return;
      before = page.at(-1)!.number;
    }
  }

  async #check(stream: StreamName): Promise<void> {
    const { log, onDamage } = this.#deps;
    const check = () => this.#inSlices(checkStream(log, stream));
    try {
      // Check twice, because a database that goes back between two reads looks like damage.
      const damage = (await this.#patiently(check)) && (await this.#patiently(check));
      if (damage) onDamage(stream, damage);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      onDamage(stream, { part: "log", reason: `it cannot be read (${error.message})` });
    }
    await this.#breathe();
  }

  async #inSlices<Found>(slices: AsyncGenerator<undefined, Found>): Promise<Found | undefined> {
    for (;;) {
      const { done, value } = await slices.next();
      if (done) return value;
      await this.#breathe();
      if (this.#isStopped) return undefined;
    }
  }

  /** Waits while the log is unavailable. Resolves to undefined after `stop`. Rejects if only this read fails. */
  async #patiently<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    for (let attempt = 1; !this.#isStopped; ) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error;
        if ((await this.#answers()) && attempt++ === attemptsMax) throw error;
        await this.#pause(retryMs);
      }
    }
    return undefined;
  }

  async #answers(): Promise<boolean> {
    const { log, clock } = this.#deps;
    return log.nextDue(clock.now()).then(
      () => true,
      () => false,
    );
  }

  async #breathe(): Promise<void> {
    const { clock } = this.#deps;
    const worked = clock.elapsed() - this.#workingSince;
    if (worked < workMs) return;
    await this.#pause(Math.min(worked * pauseFactor, pauseMsMax));
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      timer = this.#deps.clock.after(ms, resolve);
    });
    timer?.cancel();
    this.#workingSince = this.#deps.clock.elapsed();
  }
}
