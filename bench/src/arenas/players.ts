import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Child } from "../children.ts";
import { LatencyHistogram } from "../latency-histogram.ts";
import { type Address, LoadError } from "../load.ts";
import type { ArenaResult } from "./arena-load.ts";
import type { OpenseatSide } from "./dialects.ts";
import type { Order, Report } from "./players-program.ts";

const program = fileURLToPath(new URL("./players-program.ts", import.meta.url));

/** The benchmark's handle for the process with all players of one server. */
export class Players {
  readonly #child = new Child(program, { channel: true });
  readonly #ended = once(this.#child.process, "exit").then((): never => {
    throw new LoadError(`The players' process has ended. Its last output:\n${this.#child.output}`);
  });

  private constructor() {
    // Avoid an unhandled rejection while no command is under way; being stopped is not an error.
    this.#ended.catch(() => {});
  }

  static async open(
    address: Address,
    names: readonly string[],
    perRoom: number,
    openseat?: OpenseatSide,
  ): Promise<Players> {
    const players = new Players();
    await players.#order({ type: "open", address, names, perRoom, openseat });
    return players;
  }

  get pid(): number {
    return this.#child.pid;
  }

  saturate(durationMs: number): Promise<ArenaResult> {
    return this.#play({ type: "saturate", durationMs });
  }

  pace(perSecond: number, durationMs: number): Promise<ArenaResult> {
    return this.#play({ type: "pace", perSecond, durationMs });
  }

  stop(): Promise<void> {
    return this.#child.stop("SIGKILL");
  }

  async #play(order: Order): Promise<ArenaResult> {
    const report = await this.#order(order);
    if (report.type !== "result") throw new LoadError(`The players answered ${report.type}.`);
    const { counts, answered, elapsedMs, bytesEach } = report;
    return { answered, elapsedMs, bytesEach, latency: LatencyHistogram.of(counts) };
  }

  async #order(order: Order): Promise<Report> {
    const reported = once(this.#child.process, "message");
    this.#child.process.send(order);
    const [report] = (await Promise.race([reported, this.#ended])) as [Report];
    if (report.type === "failed") throw new LoadError(report.message);
    return report;
  }
}
