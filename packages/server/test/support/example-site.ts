import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "./http.ts";
import { freePort } from "./ports.ts";
import type { TestServer } from "./server.ts";

const program = fileURLToPath(new URL("../../../../examples/gate/node.ts", import.meta.url));

/** `examples/gate/node.ts` in its own process, in front of a queue that may not exist yet. */
export class ExampleSite {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(url: string, process: ChildProcess) {
    this.url = url;
    this.#process = process;
  }

  static async start({ url: openseat, serviceKey }: TestServer, queue: string): Promise<ExampleSite> {
    const port = await freePort();
    // The host of the server under test: the guide has both on one host, which share their cookies.
    const url = `http://${new URL(openseat).hostname}:${port}`;
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        OPENSEAT_URL: openseat,
        OPENSEAT_SERVICE_KEY: serviceKey,
        QUEUE: queue,
        SITE_URL: url,
        PORT: String(port),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const site = new ExampleSite(url, child);
    await until("the site answers", () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return site;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}
