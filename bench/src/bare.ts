import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Child } from "./children.ts";
import type { Address } from "./load.ts";

const program = fileURLToPath(new URL("./bare-server.ts", import.meta.url));

/** The bare server, as seen by the benchmark. */
export class Bare {
  readonly address: Address;
  readonly #child: Child;

  private constructor(child: Child, address: Address) {
    this.#child = child;
    this.address = address;
  }

  static async start(): Promise<Bare> {
    const child = new Child(program, { channel: true });
    const [port] = await once(child.process, "message");
    return new Bare(child, { host: "127.0.0.1", port });
  }

  get pid(): number {
    return this.#child.pid;
  }

  stop(): Promise<void> {
    return this.#child.stop("SIGTERM");
  }
}
