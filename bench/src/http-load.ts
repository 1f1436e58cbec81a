import { type HttpConnection, HttpConnections } from "./http-connections.ts";
import { LatencyHistogram } from "./latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError, type LoadResult } from "./load.ts";
import type { RequestBook } from "./request-book.ts";

const paceTickMs = 1;

/** The requests to send, in order: a book, or a generator. */
export type Requests = {
  /** Requests left; 0 ends the run. */
  readonly left: number;
  /** The number of the next request. */
  take(): number;
  bytesOf(request: number): Uint8Array | string;
};

/** Called for each answer: its request's number in the book, and the position of its body in the bytes. */
export type OnAnswer = (request: number, bytes: Buffer, bodyStart: number, bodyEnd: number) => void;

type Run = {
  readonly latency: LatencyHistogram;
  readonly startedAt: number;
  endsAt: number;
  answered: number;
  inFlight: number;
  receivedAt: number;
  /** Called when a connection has its answer: it may ask again or rest. */
  readonly onFree: (connection: HttpConnection, now: number) => void;
  readonly onAnswer: OnAnswer | undefined;
  readonly fail: (error: Error) => void;
  readonly finish: () => void;
};

type Plan = { readonly onFree: Run["onFree"]; readonly begin: () => void };

/** Loads one server with requests from a book. */
export class HttpLoad {
  readonly #connections: HttpConnections;
  #run: Run | undefined;

  constructor(address: Address, connections: number) {
    this.#connections = new HttpConnections(address, connections, {
      answered: (connection, status, bytes, bodyStart, bodyEnd) =>
        this.#answered(connection, status, bytes, bodyStart, bodyEnd),
      failed: (error) => this.#run?.fail(error),
    });
  }

  /** Every connection asks again as soon as it is answered, until the time is over or the book is used up. */
  async saturate(book: Requests, durationMs: number, onAnswer?: OnAnswer): Promise<LoadResult> {
    await this.#connections.connectAll();
    const plan = (run: Run): Plan => {
      const ask = (connection: HttpConnection, now: number): void => {
        if (now < run.endsAt && book.left > 0) this.#send(connection, book, now);
        else if (now < run.endsAt) run.endsAt = now;
        if (run.inFlight === 0) run.finish();
      };
      const begin = (): void => {
        for (const connection of this.#connections.connections) ask(connection, run.startedAt);
      };
      return { onFree: ask, begin };
    };
    return this.#start(durationMs, plan, onAnswer);
  }

  /**
   * Sends requests at fixed times, whether or not earlier ones are answered. Latency counts from the due time, so
   * that a stalled server cannot hide its delay by slowing the client.
   */
  async pace(book: RequestBook, perSecond: number, durationMs: number): Promise<LoadResult> {
    await this.#connections.connectAll();
    const total = Math.min(book.left, Math.floor((perSecond * durationMs) / 1000));
    const idle = [...this.#connections.connections];
    let sent = 0;
    return this.#start(Number.POSITIVE_INFINITY, (run) => {
      const askDue = (now: number): void => {
        const due = Math.min(total, Math.floor(((now - run.startedAt) * perSecond) / 1000));
        while (sent < due && idle.length > 0) {
          const dueAt = run.startedAt + (sent++ * 1000) / perSecond;
          this.#send(idle.shift() as HttpConnection, book, dueAt);
        }
        if (sent === total && run.inFlight === 0) run.finish();
      };
      const tick = (): void => {
        if (this.#run !== run || sent === total) return;
        askDue(performance.now());
        setTimeout(tick, paceTickMs);
      };
      const onFree = (connection: HttpConnection, now: number): void => {
        idle.push(connection);
        askDue(now);
      };
      return { onFree, begin: tick };
    });
  }

  close(): void {
    this.#connections.close();
  }

  #start(durationMs: number, plan: (run: Run) => Plan, onAnswer?: OnAnswer): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const watch = setInterval(() => {
        if (performance.now() - run.receivedAt < answerTimeoutMs) return;
        run.fail(
          new LoadError(
            `No answer for ${answerTimeoutMs / 1000} s, with ${run.inFlight} requests in flight.`,
          ),
        );
      }, 1000);
      const end = (): void => {
        clearInterval(watch);
        this.#run = undefined;
      };
      const run: Run = {
        latency: new LatencyHistogram(),
        startedAt,
        endsAt: startedAt + durationMs,
        answered: 0,
        inFlight: 0,
        receivedAt: startedAt,
        onFree: (connection, now) => planned.onFree(connection, now),
        onAnswer,
        fail: (error) => {
          end();
          reject(error);
        },
        finish: () => {
          end();
          const elapsedMs = Math.min(run.endsAt, run.receivedAt) - startedAt;
          resolve({ answered: run.answered, elapsedMs, latency: run.latency });
        },
      };
      const planned = plan(run);
      this.#run = run;
      planned.begin();
    });
  }

  #send(connection: HttpConnection, book: Requests, askedAt: number): void {
    (this.#run as Run).inFlight++;
    const request = book.take();
    this.#connections.send(connection, request, book.bytesOf(request), askedAt);
  }

  #answered(
    connection: HttpConnection,
    status: number,
    bytes: Buffer,
    bodyStart: number,
    bodyEnd: number,
  ): void {
    const run = this.#run;
    if (run === undefined) return;
    if (status !== 200 && status !== 201) {
      run.fail(new LoadError(`Answered ${status}: ${bytes.toString("utf8", bodyStart, bodyEnd)}`));
      return;
    }
    const now = performance.now();
    run.receivedAt = now;
    if (now <= run.endsAt) {
      run.answered++;
      run.latency.record((now - connection.askedAt) * 1000);
    }
    run.onAnswer?.(connection.request, bytes, bodyStart, bodyEnd);
    run.inFlight--;
    run.onFree(connection, now);
  }
}
