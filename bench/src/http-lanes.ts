import { connect, type Socket } from "node:net";
import { type Address, LoadError } from "./load.ts";
import { ResponseSplitter } from "./response-splitter.ts";

const readBufferBytes = 16 * 1024;
/** Servers close idle connections. A request sent just then would be lost. */
const idleMsMax = 2_000;

/** One keep-alive connection, with at most one request in flight. */
export type Lane = {
  readonly socket: Socket;
  /** When the request in flight was sent or due. */
  askedAt: number;
  /** The sender's number for the request in flight. */
  request: number;
  busy: boolean;
  open: boolean;
  usedAt: number;
};

export type LaneEvents = {
  answered(lane: Lane, status: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void;
  failed(error: Error): void;
};

function retire(lane: Lane): void {
  lane.open = false;
  lane.socket.destroy();
}

/** Many raw connections to one server. The client must use far less processor time than the server. */
export class HttpLanes {
  readonly lanes: Lane[] = [];
  readonly #address: Address;
  readonly #connections: number;
  readonly #events: LaneEvents;

  constructor(address: Address, connections: number, events: LaneEvents) {
    this.#address = address;
    this.#connections = connections;
    this.#events = events;
  }

  async connectAll(): Promise<void> {
    const now = performance.now();
    for (const lane of this.lanes) if (now - lane.usedAt > idleMsMax) retire(lane);
    const open = this.lanes.filter((lane) => lane.open);
    const missing = Array.from({ length: this.#connections - open.length }, () => this.#connect());
    this.lanes.splice(0, this.lanes.length, ...open, ...(await Promise.all(missing)));
  }

  send(lane: Lane, request: number, bytes: Uint8Array | string, askedAt: number): void {
    lane.request = request;
    lane.askedAt = askedAt;
    lane.busy = true;
    lane.usedAt = askedAt;
    if (typeof bytes === "string") lane.socket.write(bytes, "latin1");
    else lane.socket.write(bytes);
  }

  close(): void {
    for (const lane of this.lanes) retire(lane);
    this.lanes.length = 0;
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
          this.#events.failed(error as Error);
        }
        return true;
      };
      const socket = connect({
        ...this.#address,
        noDelay: true,
        onread: { buffer: Buffer.allocUnsafeSlow(readBufferBytes), callback: receive },
      });
      const lane: Lane = {
        socket,
        askedAt: 0,
        request: 0,
        busy: false,
        open: true,
        usedAt: performance.now(),
      };
      socket.once("connect", () => resolve(lane));
      socket.on("error", reject);
      socket.on("close", () => {
        lane.open = false;
        if (lane.busy)
          this.#events.failed(new LoadError("The server closed a connection with a request in flight."));
      });
    });
  }

  #answered(lane: Lane, status: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void {
    if (!lane.busy) {
      this.#events.failed(
        new LoadError(
          `Answered ${status}, and nobody had asked: ${bytes.toString("utf8", bodyStart, bodyEnd)}`,
        ),
      );
      return;
    }
    lane.busy = false;
    this.#events.answered(lane, status, bytes, bodyStart, bodyEnd);
  }
}
