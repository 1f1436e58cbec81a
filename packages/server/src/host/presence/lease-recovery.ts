import type { Clock, Timer } from "../../clock.ts";
import type { Listed, Log, StreamName } from "../../log/log.ts";
import type { Requests } from "../requests.ts";

/** Streams that are brought into memory at once: a start with many must not keep all who ask waiting. */
const wakesMax = 4;
const pageStreams = 500;
const retryMs = 1_000;
const listAgainMs = 15_000;

/** How far the list of one kind of streams has been read. */
interface Cursor {
  readonly kind: string;
  readonly before?: number;
}

interface LeaseRecoveryDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** The kinds of streams that may have somebody in them who has to be heard of. */
  readonly kinds: readonly string[];
  /** Whether a stream may have, as far as its listing says. */
  readonly mayBeLeased: (listed: Listed) => boolean;
  readonly requests: Pick<Requests, "bring">;
  readonly onError: (error: unknown) => void;
}

/**
 * Brings the streams into memory in which somebody has to be heard of: after a start, and when one has lost its state.
 * If all in it are gone nobody asks for it, and they would stay in line for ever.
 */
export class LeaseRecovery {
  readonly #options: LeaseRecoveryDeps;
  readonly #queue = new Set<StreamName>();
  readonly #underWay = new Set<Promise<void>>();
  #wakes = 0;
  /** What goes on after a pause. */
  #listing: Cursor[] = [];
  readonly #again = new Set<StreamName>();
  #pause: Timer | undefined;
  #listedAt = 0;
  #stopped = false;

  constructor(options: LeaseRecoveryDeps) {
    this.#options = options;
  }

  /** In the background. */
  start(): void {
    this.#listedAt = this.#options.clock.elapsed();
    for (const kind of this.#options.kinds) this.#track(this.#list({ kind }));
  }

  /** For what other nodes may have begun meanwhile without a word. Not at once again: it goes through all that there are. */
  startAgain(): void {
    if (this.#options.clock.elapsed() - this.#listedAt >= listAgainMs) this.start();
  }

  /** After a pause: what took the state away may not be over. */
  again(stream: StreamName): void {
    this.#again.add(stream);
    this.#goOnLater();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause?.cancel();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #list(cursor: Cursor): Promise<void> {
    const { log, mayBeLeased, onError } = this.#options;
    try {
      while (!this.#stopped) {
        const page = await log.list({ ...cursor, limit: pageStreams });
        for (const listed of page) if (mayBeLeased(listed)) this.#queue.add(listed.stream);
        this.#wakeNext();
        const last = page.at(-1);
        if (!last || page.length < pageStreams) return;
        cursor = { ...cursor, before: last.number };
      }
    } catch (error) {
      onError(error);
      this.#listing.push(cursor);
      this.#goOnLater();
    }
  }

  #wakeNext(): void {
    for (const stream of this.#queue) {
      if (this.#stopped || this.#wakes >= wakesMax) return;
      this.#queue.delete(stream);
      this.#track(this.#wake(stream));
    }
  }

  async #wake(stream: StreamName): Promise<void> {
    this.#wakes++;
    try {
      if (!(await this.#options.requests.bring(stream))) this.again(stream);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#wakes--;
      this.#wakeNext();
    }
  }

  #goOnLater(): void {
    if (this.#stopped) return;
    this.#pause ??= this.#options.clock.after(retryMs, () => {
      this.#pause = undefined;
      for (const cursor of this.#listing.splice(0)) this.#track(this.#list(cursor));
      for (const stream of this.#again) this.#queue.add(stream);
      this.#again.clear();
      this.#wakeNext();
    });
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}
