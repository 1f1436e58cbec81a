import type { Socket } from "node:net";
import { LatencyHistogram } from "./latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError, type LoadResult } from "./load.ts";
import type { RequestBook } from "./request-book.ts";
import { readAnswer } from "./ws-answer.ts";
import { connectWebSocket } from "./ws-connect.ts";
import { controlFrame, FrameReader, opcodes } from "./ws-frames.ts";

/** Openseat's WebSocket path. */
export const livePath = "/api/v1/live";

type Lane = { socket: Socket | undefined; readonly reader: FrameReader; free: number; open: boolean };

type Run = {
  readonly book: RequestBook;
  readonly sentAt: Float64Array;
  readonly latency: LatencyHistogram;
  readonly startedAt: number;
  endsAt: number;
  answered: number;
  inFlight: number;
  heardAt: number;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
};

/** Loads one server over a few WebSockets, each with several joins in flight. */
export class WsLoad {
  readonly #address: Address;
  readonly #connections: number;
  readonly #inFlightPerConnection: number;
  readonly #lanes: Lane[] = [];
  #run: Run | undefined;

  constructor(address: Address, connections: number, inFlightPerConnection: number) {
    this.#address = address;
    this.#connections = connections;
    this.#inFlightPerConnection = inFlightPerConnection;
  }

  /** Keeps every connection's window of joins full until the time is over or the book is used up. */
  async saturate(book: RequestBook, durationMs: number): Promise<LoadResult> {
    await this.#connectAll();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const watch = setInterval(() => {
        if (performance.now() - run.heardAt < answerTimeoutMs) return;
        run.fail(
          new LoadError(`No answer for ${answerTimeoutMs / 1000} s, with ${run.inFlight} joins in flight.`),
        );
      }, 1000);
      const end = (): void => {
        clearInterval(watch);
        this.#run = undefined;
      };
      const run: Run = {
        book,
        sentAt: new Float64Array(book.count),
        latency: new LatencyHistogram(),
        startedAt,
        endsAt: startedAt + durationMs,
        answered: 0,
        inFlight: 0,
        heardAt: startedAt,
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
      this.#run = run;
      for (const lane of this.#lanes) {
        lane.free = this.#inFlightPerConnection;
        this.#fill(lane, run, startedAt);
      }
    });
  }

  close(): void {
    for (const lane of this.#lanes) lane.socket?.destroy();
    this.#lanes.length = 0;
  }

  #fill(lane: Lane, run: Run, now: number): void {
    const { book } = run;
    if (now < run.endsAt && book.left < lane.free) run.endsAt = now;
    const count = now <= run.endsAt ? Math.min(lane.free, book.left) : 0;
    if (count > 0) {
      const first = book.take(count);
      run.sentAt.fill(now, first, first + count);
      lane.free -= count;
      run.inFlight += count;
      lane.socket?.write(book.bytesOf(first, count));
    }
    if (run.inFlight === 0) run.finish();
  }

  #receive(lane: Lane, received: Buffer): void {
    const run = this.#run;
    if (run !== undefined) run.heardAt = performance.now();
    lane.reader.push(received);
    if (run !== undefined && run === this.#run && lane.free > 0) this.#fill(lane, run, run.heardAt);
  }

  #frame(lane: Lane, opcode: number, bytes: Buffer, start: number, end: number): void {
    if (opcode === opcodes.ping) lane.socket?.write(controlFrame(opcodes.pong, bytes.subarray(start, end)));
    if (opcode === opcodes.close) {
      const reason = bytes.toString("utf8", start + 2, end);
      this.#run?.fail(new LoadError(`The server closed a WebSocket: ${reason || "no reason given"}`));
    }
    const run = this.#run;
    if (opcode !== opcodes.text || run === undefined) return;
    const answer = readAnswer(bytes, start, end);
    if (answer === undefined) return;
    if (answer.status !== 200) {
      run.fail(new LoadError(`Answered ${answer.status}: ${bytes.toString("utf8", start, end)}`));
      return;
    }
    if (run.heardAt <= run.endsAt) {
      run.answered++;
      run.latency.record((run.heardAt - run.sentAt[answer.id]) * 1000);
    }
    run.inFlight--;
    lane.free++;
  }

  async #connectAll(): Promise<void> {
    const open = this.#lanes.filter((lane) => lane.open);
    const missing = Array.from({ length: this.#connections - open.length }, () => this.#connect());
    this.#lanes.splice(0, this.#lanes.length, ...open, ...(await Promise.all(missing)));
  }

  async #connect(): Promise<Lane> {
    const reader = new FrameReader((opcode, bytes, start, end) =>
      this.#frame(lane, opcode, bytes, start, end),
    );
    const lane: Lane = { socket: undefined, reader, free: 0, open: true };
    lane.socket = await connectWebSocket(this.#address, livePath, {
      received: (bytes) => this.#receive(lane, bytes),
      failed: (error) => {
        lane.open = false;
        this.#run?.fail(error);
      },
    });
    return lane;
  }
}
