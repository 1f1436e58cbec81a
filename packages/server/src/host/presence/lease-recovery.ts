import type { Timer } from "../../clock.ts";
import type { ListQuery, StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import type { Requests } from "../requests.ts";

/** Streams loaded at the same time: after a start with many streams, requests would otherwise wait for all of them. */
const wakesMax = 4;
const pageStreams = 500;
const retryMs = 1_000;
const listAgainMs = 15_000;

/**
 * Loads streams with leases, after a start and when a stream lost its state. If everybody in a stream has left, no request
 * would load it, and its places would never expire.
 */
export class LeaseRecovery {
  readonly #context: HostContext;
  readonly #requests: Requests;
  readonly #queue = new Set<StreamName>();
  readonly #underWay = new Set<Promise<void>>();
  #wakes = 0;
  #listing: Omit<ListQuery, "limit">[] = [];
  readonly #again = new Set<StreamName>();
  #pause: Timer | undefined;
  #listedAt = 0;
  #stopped = false;

  constructor(context: HostContext, requests: Requests) {
    this.#context = context;
    this.#requests = requests;
  }

  start(): void {
    this.#listedAt = this.#context.clock.elapsed();
    for (const [kind, { presence }] of Object.entries(this.#context.deciders))
      if (presence) this.#track(this.#list({ kind }));
  }

  /** Finds streams that other nodes created without an announcement. Rate-limited, because it lists all streams. */
  startAgain(): void {
    if (this.#context.clock.elapsed() - this.#listedAt >= listAgainMs) this.start();
  }

  /** Retries after a pause, because the failure that dropped the state may not be over. */
  again(stream: StreamName): void {
    this.#again.add(stream);
    this.#goOnLater();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause?.cancel();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #list(cursor: Omit<ListQuery, "limit">): Promise<void> {
    const { log, deciders, onError } = this.#context;
    // Listings without this field were written before this kind of stream had leases.
    const isLeasedByDefault = !deciders[cursor.kind].presence?.mayLease;
    try {
      while (!this.#stopped) {
        const page = await log.list({ ...cursor, limit: pageStreams });
        for (const { stream, summary } of page)
          if (summary.leased === true || (summary.leased !== false && isLeasedByDefault))
            this.#queue.add(stream);
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
      if (!(await this.#requests.bring(stream))) this.again(stream);
    } catch (error) {
      this.#context.onError(error);
    } finally {
      this.#wakes--;
      this.#wakeNext();
    }
  }

  #goOnLater(): void {
    if (this.#stopped) return;
    this.#pause ??= this.#context.clock.after(retryMs, () => {
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
