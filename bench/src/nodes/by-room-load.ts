import { crc32 } from "node:zlib";
import { HttpLoad, type OnAnswer, type Requests } from "../http-load.ts";
import type { Address, LoadResult } from "../load.ts";
import { sumOf } from "./spread-load.ts";

/** Loads several nodes like a load balancer with room affinity: all requests of a room go to the same node. */
export class ByRoomLoad {
  readonly #loads: readonly HttpLoad[];

  constructor(addresses: readonly Address[], connections: number) {
    const share = Math.ceil(connections / addresses.length);
    this.#loads = addresses.map((address) => new HttpLoad(address, share));
  }

  async saturate(book: Requests, durationMs: number, onAnswer?: OnAnswer): Promise<LoadResult> {
    const shares = this.#split(book);
    return sumOf(
      await Promise.all(this.#loads.map((load, node) => load.saturate(shares[node], durationMs, onAnswer))),
    );
  }

  /** Splits before any request is sent, so that routing costs no measured time. */
  #split(book: Requests): Share[] {
    const numbers: number[][] = this.#loads.map(() => []);
    while (book.left > 0) {
      const request = book.take();
      numbers[crc32(roomIn(book.bytesOf(request))) % numbers.length].push(request);
    }
    return numbers.map((each) => new Share(book, each));
  }

  close(): void {
    for (const load of this.#loads) load.close();
  }
}

/** The requests of a book that go to one node. */
class Share implements Requests {
  readonly #book: Requests;
  readonly #numbers: readonly number[];
  #taken = 0;

  constructor(book: Requests, numbers: readonly number[]) {
    this.#book = book;
    this.#numbers = numbers;
  }

  get left(): number {
    return this.#numbers.length - this.#taken;
  }

  take(): number {
    return this.#numbers[this.#taken++];
  }

  bytesOf(request: number): Uint8Array | string {
    return this.#book.bytesOf(request);
  }
}

/** The room in the path of a request, such as `games/abc`. */
function roomIn(request: Uint8Array | string): string {
  const start = Buffer.from(request.slice(0, 200)).toString("latin1");
  return /^\w+ \/api\/v1\/(\w+\/[^/ ]+)/.exec(start)?.[1] ?? "";
}
