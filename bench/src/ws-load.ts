import type { Socket } from "node:net";
import { LatencyHistogram } from "./latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError, type LoadResult } from "./load.ts";
import type { RequestBook } from "./request-book.ts";
import { readAnswer } from "./ws-answer.ts";
import { connectWebSocket } from "./ws-connect.ts";
import { controlFrame, FrameReader, opcodes } from "./ws-frames.ts";

/** Openseat's WebSocket path. */
export const livePath = "/api/v1/live";

type WsConnection = { socket: Socket | undefined; readonly reader: FrameReader; free: number; open: boolean };

type Run = {
  readonly book: RequestBook;
  readonly sentAt: Float64Array;
  readonly latency: LatencyHistogram;
  readonly startedAt: number;
  endsAt: number;
  answered: number;
  inFlight: number;
  receivedAt: number;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
};

/** Loads one server over a few WebSockets, each with several joins in flight. */
export class WsLoad {
  readonly #address: Address;
  readonly #connectionsMax: number;
  readonly #inFlightPerConnection: number;
  readonly #connections: WsConnection[] = [];
  #run: Run | undefined;

  constructor(address: Address, connections: number, inFlightPerConnection: number) {
    this.#address = address;
    this.#connectionsMax = connections;
    this.#inFlightPerConnection = inFlightPerConnection;
  }

  /** Keeps every connection's window of joins full until the time is over or the book is used up. */
  async saturate(book: RequestBook, durationMs: number): Promise<LoadResult> {
    await this.#connectAll();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const watch = setInterval(() => {
        if (performance.now() - run.receivedAt < answerTimeoutMs) return;
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
        receivedAt: startedAt,
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
      this.#run = run;
      for (const connection of this.#connections) {
        connection.free = this.#inFlightPerConnection;
        this.#fill(connection, run, startedAt);
      }
    });
  }

  close(): void {
    for (const connection of this.#connections) connection.socket?.destroy();
    this.#connections.length = 0;
  }

  #fill(connection: WsConnection, run: Run, now: number): void {
    const { book } = run;
    if (now < run.endsAt && book.left < connection.free) run.endsAt = now;
    const count = now <= run.endsAt ? Math.min(connection.free, book.left) : 0;
    if (count > 0) {
      const first = book.take(count);
      run.sentAt.fill(now, first, first + count);
      connection.free -= count;
      run.inFlight += count;
      connection.socket?.write(book.bytesOf(first, count));
    }
    if (run.inFlight === 0) run.finish();
  }

  #receive(connection: WsConnection, received: Buffer): void {
    const run = this.#run;
    if (run !== undefined) run.receivedAt = performance.now();
    connection.reader.push(received);
    if (run !== undefined && run === this.#run && connection.free > 0)
      this.#fill(connection, run, run.receivedAt);
  }

  #frame(connection: WsConnection, opcode: number, bytes: Buffer, start: number, end: number): void {
    if (opcode === opcodes.ping)
      connection.socket?.write(controlFrame(opcodes.pong, bytes.subarray(start, end)));
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
    if (run.receivedAt <= run.endsAt) {
      run.answered++;
      run.latency.record((run.receivedAt - run.sentAt[answer.id]) * 1000);
    }
    run.inFlight--;
    connection.free++;
  }

  async #connectAll(): Promise<void> {
    const open = this.#connections.filter((connection) => connection.open);
    const missing = Array.from({ length: this.#connectionsMax - open.length }, () => this.#connect());
    this.#connections.splice(0, this.#connections.length, ...open, ...(await Promise.all(missing)));
  }

  async #connect(): Promise<WsConnection> {
    const reader = new FrameReader((opcode, bytes, start, end) =>
      this.#frame(connection, opcode, bytes, start, end),
    );
    const connection: WsConnection = { socket: undefined, reader, free: 0, open: true };
    connection.socket = await connectWebSocket(this.#address, livePath, {
      received: (bytes) => this.#receive(connection, bytes),
      failed: (error) => {
        connection.open = false;
        this.#run?.fail(error);
      },
    });
    return connection;
  }
}
