import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client, within } from "./http.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real server in a process of its own. */
export class ChildServer {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  url = "";

  private constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    // Nothing of the caller's own settings: a test must not depend on the shell that it runs in.
    const { PATH } = process.env;
    this.process = spawn(process.execPath, [main, ...args], {
      env: { ...(PATH !== undefined && { PATH }), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process.stdout!.on("data", (chunk: Buffer) => {
      this.stdout += chunk.toString("utf8");
    });
    this.process.stderr!.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString("utf8");
    });
    this.ended = new Promise((resolve) => {
      this.process.on("close", (code, signal) => resolve({ code, signal }));
    });
    process.once("exit", this.#endWithUs);
    void this.ended.then(() => process.off("exit", this.#endWithUs));
  }

  readonly #endWithUs = () => this.process.kill("SIGKILL");

  /** Runs until it ends by itself, as a start that is refused does. */
  static async run(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended & { stdout: string; stderr: string }> {
    const child = new ChildServer(args, environment);
    try {
      const ended = await within(`the end of: ${args.join(" ")}`, child.ended);
      return { ...ended, stdout: child.stdout, stderr: child.stderr };
    } finally {
      child.process.kill("SIGKILL");
    }
  }

  /** Starts, and resolves once it can be reached. */
  static async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ChildServer> {
    const child = new ChildServer(["--port", "0", "--no-demo", ...args], environment);
    const ready = new Promise<void>((resolve, reject) => {
      child.process.stderr!.on("data", () => {
        const address = /Openseat is at (http:\/\/\S+)\n/.exec(child.stderr)?.[1];
        if (address === undefined) return;
        child.url = address.replace("localhost", "127.0.0.1");
        resolve();
      });
      void child.ended.then((ended) =>
        reject(new Error(`it ended while starting: ${JSON.stringify(ended)}\n${child.stderr}`)),
      );
    });
    try {
      await within("the start of the server", ready, 30_000);
    } catch (error) {
      child.process.kill("SIGKILL");
      throw error;
    }
    return child;
  }

  client(socketsMax = 64): Client {
    return new Client(this.url, socketsMax);
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.process.kill(signal);
    return within(`the end after ${signal}`, this.ended, 30_000);
  }

  /** Whatever state it is in. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}
