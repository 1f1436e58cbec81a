import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "./http.ts";

const program = join(import.meta.dirname, "../../../../examples/nginx/site.ts");

/** The example's site in its own process. */
export class Site {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(): Promise<Site> {
    const child = spawn(process.execPath, [program], {
      env: { PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
    process.once("exit", () => child.kill("SIGKILL"));
    const port = await until("the shop opens", () => {
      if (child.exitCode !== null) throw new Error("the shop ended while starting");
      return /open on port (\d+)/.exec(said)?.[1];
    });
    return new Site(child, Number(port));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }
}
