import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Child } from "./children.ts";
import type { Address } from "./load.ts";

const httpProgram = fileURLToPath(new URL("./bare-server.ts", import.meta.url));
const roomsProgram = fileURLToPath(new URL("./arenas/bare-rooms-server.ts", import.meta.url));

/** The benchmark's handle for a bare server. */
export class Bare {
  readonly address: Address;
  readonly #child: Child;

  private constructor(child: Child, address: Address) {
    this.#child = child;
    this.address = address;
  }

  static start(): Promise<Bare> {
    return Bare.#start(httpProgram);
  }

  /** Starts the bare server that broadcasts over WebSocket. */
  static startRooms(): Promise<Bare> {
    return Bare.#start(roomsProgram);
  }

  static async #start(program: string): Promise<Bare> {
    const child = new Child(program, { channel: true });
    const [port] = await once(child.process, "message");
    return new Bare(child, { host: "127.0.0.1", port });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Sets the size of the frames that the room server sends. */
  setFrameBytes(bytes: number): void {
    this.#child.process.send(bytes);
  }

  stop(): Promise<void> {
    return this.#child.stop("SIGTERM");
  }
}
