import { connect, type Socket } from "node:net";
import { LatencyHistogram } from "./latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError, type LoadResult } from "./load.ts";
import type { RequestBook } from "./request-book.ts";
import { ResponseSplitter } from "./response-splitter.ts";

const readBufferBytes = 16 * 1024;
const paceTickMs = 1;

/** One keep-alive connection, with at most one request in flight. */
type Lane = { socket: Socket; askedAt: number; busy: boolean; open: boolean };

type Run = {
  readonly latency: LatencyHistogram;
  readonly startedAt: number;
  endsAt: number;
  answered: number;
  inFlight: number;
  heardAt: number;
  /** What to do with a connection that has its answer: ask again, or rest. */
  readonly onFree: (lane: Lane, now: number) => void;
  readonly fail: (error: Error) => void;
  readonly finish: () => void;
};

/** Loads one server over many raw connections: the client must cost far less than the server it measures. */
export class HttpLoad {
  readonly #address: Address;
  readonly #lanes: Lane[] = [];
  readonly #connections: number;
  #run: Run | undefined;

  constructor(address: Address, connections: number) {
    this.#address = address;
    this.#connections = connections;
  }

  /** Every connection asks again as soon as it is answered, until the time is over or the book is at its end. */
  async saturate(book: RequestBook, durationMs: number): Promise<LoadResult> {
    await this.#connectAll();
    return this.#start(durationMs, (run) => {
      const ask = (lane: Lane, now: number): void => {
        if (now < run.endsAt && book.left > 0) this.#send(lane, book, now);
        else if (now < run.endsAt) run.endsAt = now;
        if (run.inFlight === 0) run.finish();
      };
      const begin = (): void => {
        for (const lane of this.#lanes) ask(lane, run.startedAt);
      };
      return { onFree: ask, begin };
    });
  }

  /**
   * Asks at fixed times, whether or not earlier requests are answered. Latency counts from the time a request was
   * due, so that a server which stalls cannot hide it by holding the client back.
   */
  async pace(book: RequestBook, perSecond: number, durationMs: number): Promise<LoadResult> {
    await this.#connectAll();
    const total = Math.min(book.left, Math.floor((perSecond * durationMs) / 1000));
    const idle = [...this.#lanes];
    let sent = 0;
    return this.#start(Number.POSITIVE_INFINITY, (run) => {
      const askDue = (now: number): void => {
        const due = Math.min(total, Math.floor(((now - run.startedAt) * perSecond) / 1000));
        while (sent < due && idle.length > 0) {
          const dueAt = run.startedAt + (sent++ * 1000) / perSecond;
          this.#send(idle.shift() as Lane, book, dueAt);
        }
        if (sent === total && run.inFlight === 0) run.finish();
      };
      const tick = (): void => {
        if (this.#run !== run || sent === total) return;
        askDue(performance.now());
        setTimeout(tick, paceTickMs);
      };
      const onFree = (lane: Lane, now: number): void => {
        idle.push(lane);
        askDue(now);
      };
      return { onFree, begin: tick };
    });
  }

  close(): void {
    for (const lane of this.#lanes) lane.socket.destroy();
    this.#lanes.length = 0;
  }

  #start(
    durationMs: number,
    plan: (run: Run) => { onFree: Run["onFree"]; begin: () => void },
  ): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const watch = setInterval(() => {
        if (performance.now() - run.heardAt < answerTimeoutMs) return;
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
        heardAt: startedAt,
        onFree: (lane, now) => planned.onFree(lane, now),
        fail: (error) => {
          end();
          reject(error);
        },
        finish: () => {
          end();
          const elapsedMs = Math.min(run.endsAt, run.heardAt) - startedAt;
          resolve({ answered: run.answered, elapsedMs, latency: run.latency });
        },
      };
      const planned = plan(run);
      this.#run = run;
      planned.begin();
    });
  }

  #send(lane: Lane, book: RequestBook, askedAt: number): void {
    lane.askedAt = askedAt;
    lane.busy = true;
    (this.#run as Run).inFlight++;
    lane.socket.write(book.bytesOf(book.take()));
  }

  #answered(lane: Lane, status: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void {
    const run = this.#run;
    if (run === undefined) return;
    if (status !== 200 || !lane.busy) {
      run.fail(new LoadError(`Answered ${status}: ${bytes.toString("utf8", bodyStart, bodyEnd)}`));
      return;
    }
    const now = performance.now();
    run.heardAt = now;
    if (now <= run.endsAt) {
      run.answered++;
      run.latency.record((now - lane.askedAt) * 1000);
    }
    run.inFlight--;
    lane.busy = false;
    run.onFree(lane, now);
  }

  async #connectAll(): Promise<void> {
    // A server may close connections that were idle between slices.
    const open = this.#lanes.filter((lane) => lane.open);
    const missing = Array.from({ length: this.#connections - open.length }, () => this.#connect());
    this.#lanes.splice(0, this.#lanes.length, ...open, ...(await Promise.all(missing)));
  }

  #connect(): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const splitter = new ResponseSplitter((status, bytes, bodyStart, bodyEnd) =>
        this.#answered(lane, status, bytes, bodyStart, bodyEnd),
      );
      const receive = (length: number, buffer: Uint8Array): boolean => {
        try {
          splitter.push((buffer as Buffer).subarray(0, length));
        } catch (error) {
          this.#run?.fail(error as Error);
        }
        return true;
      };
      const socket = connect({
        ...this.#address,
        noDelay: true,
        onread: { buffer: Buffer.allocUnsafeSlow(readBufferBytes), callback: receive },
      });
      const lane: Lane = { socket, askedAt: 0, busy: false, open: true };
      socket.once("connect", () => resolve(lane));
      socket.on("error", reject);
      socket.on("close", () => {
        lane.open = false;
        if (lane.busy)
          this.#run?.fail(new LoadError("The server closed a connection with a request in flight."));
      });
    });
  }
}
