import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { until, within } from "../../../../packages/server/test/support/http.ts";
import { type Example, type ExampleProject, plainEnvironment } from "./example-project.ts";

/** An example in its own process. */
export class SiteProcess {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  said = "";

  private constructor(
    project: ExampleProject,
    example: Example,
    environment: Record<string, string>,
    port: number,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    const { args, folder } = commandOf(example, project.path, port);
    this.#process = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...plainEnvironment(), ...environment, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#process.stdout!, this.#process.stderr!])
      stream.on("data", (chunk: Buffer) => {
        this.said += chunk.toString("utf8");
      });
    this.#ended = new Promise((resolve) => this.#process.once("close", () => resolve()));
    const endWithUs = () => this.#process.kill("SIGKILL");
    process.once("exit", endWithUs);
    void this.#ended.then(() => process.off("exit", endWithUs));
  }

  /** Resolves when its health check answers, which needs no session. */
  static async start(
    project: ExampleProject,
    example: Example,
    environment: Record<string, string>,
    port: number,
  ): Promise<SiteProcess> {
    const site = new SiteProcess(project, example, environment, port);
    await until("the site starts", async () => {
      if (site.#process.exitCode !== null) throw new Error(`the site ended while starting: ${site.said}`);
      const answer = await fetch(`${site.url}/healthz`).catch(() => undefined);
      return answer && (await answer.text()) === "ok";
    });
    return site;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await within("the end of the site", this.#ended);
  }
}

function commandOf(example: Example, path: string, port: number): { args: string[]; folder: string } {
  if ("file" in example) return { args: [example.file], folder: path };
  if ("worker" in example)
    return {
      args: [join(import.meta.dirname, "worker-harness.ts"), join(path, example.worker)],
      folder: path,
    };
  const folder = join(path, example.next);
  return { args: [join(folder, "node_modules/next/dist/bin/next"), "start", "--port", String(port)], folder };
}
