import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "../support/test-clock.ts";

/** Runs `child.ts` in its own process. */
export class Child {
  readonly process: ChildProcess;
  readonly said: string[] = [];
  #rest = "";
  #received = 0;

  constructor(folder: string, env: Record<string, string> = {}) {
    const script = fileURLToPath(new URL("./child.ts", import.meta.url));
    this.process = spawn(process.execPath, [script, folder], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.process.stdin!.on("error", () => {});
    this.process.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop()!;
      this.said.push(...lines);
    });
  }

  /** The next line of its output. */
  async nextLine(): Promise<string> {
    await until(() => this.said.length > this.#received, "output from the child");
    return this.said[this.#received++];
  }

  asks(line: string): Promise<string> {
    this.process.stdin!.write(`${line}\n`);
    return this.nextLine();
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "close");
    this.process.kill("SIGKILL");
    await gone;
  }
}
