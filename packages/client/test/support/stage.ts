import { startServer, type TestServer } from "../../../server/test/support/server.ts";
import type { Storage } from "../../src/identity/storage.ts";
import { Openseat, type OpenseatOptions } from "../../src/index.ts";
import { hastyClock } from "./clocks.ts";
import { Network } from "./network.ts";

/** A server behind a test network, and clients that use that network. */
export class Stage {
  server: TestServer;
  readonly network: Network;
  readonly #clients: Openseat[] = [];

  private constructor(server: TestServer, network: Network) {
    this.server = server;
    this.network = network;
  }

  static async open(flags?: readonly string[]): Promise<Stage> {
    const server = await startServer(flags);
    return new Stage(server, await Network.to(server.url));
  }

  client(options: Partial<OpenseatOptions> = {}): Openseat {
    const client = new Openseat({
      url: this.network.url,
      clock: hastyClock,
      random: shortly(Math.random),
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  stopClients(): void {
    for (const client of this.#clients.splice(0)) client.close();
  }

  async close(): Promise<void> {
    this.stopClients();
    this.network.close();
    await this.server.stop();
  }
}

export async function onStage(
  work: (stage: Stage) => Promise<void>,
  flags?: readonly string[],
): Promise<void> {
  const stage = await Stage.open(flags);
  try {
    await work(stage);
  } finally {
    await stage.close();
  }
}

/** A storage that several clients share, like the tabs of one browser. */
export function sharedStorage(): Storage & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (key) => kept.get(key),
    set: (key, value) => void kept.set(key, value),
    remove: (key) => void kept.delete(key),
  };
}

/** A seeded random number generator. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random numbers up to a tenth, to keep the retry pauses shorter than the tests' timeouts. */
export function shortly(random: () => number): () => number {
  return () => random() / 10;
}

export function refusal(code: string, status?: number) {
  return (error: unknown) => {
    const { code: actual, status: actualStatus } = error as { code?: string; status?: number };
    return actual === code && (status === undefined || actualStatus === status);
  };
}

/** A listener that must not be called. It fails the test, because clients catch errors of listeners. */
export function uncalled(): void {
  queueMicrotask(() => {
    throw new Error("This was called, and must not be.");
  });
}
