import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client, type Json, until, within } from "../support/http.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** A node on a database in its own process, observable from the very start, because it may have to wait. */
export class NodeProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  stdout = "";
  stderr = "";

  constructor(databaseUrl: string, args: readonly string[] = []) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.process = spawn(process.execPath, [main, "--port", "0", "--no-demo", ...args], {
      env: {
        ...(PATH !== undefined && { PATH }),
        ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
        DATABASE_URL: databaseUrl,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.process.on("close", (code, signal) => resolve({ code, signal }));
    });
    const endWithUs = () => this.process.kill("SIGKILL");
    process.once("exit", endWithUs);
    void this.ended.then(() => process.off("exit", endWithUs));
  }

  /** Resolves when it waits for its database with its port open. */
  waiting(): Promise<Client> {
    return this.#client("a node that waits", /Openseat waits at (http:\/\/\S+) /);
  }

  /** Resolves when it is ready. */
  started(): Promise<Client> {
    return this.#client("a node that has started", /Openseat is at (http:\/\/\S+)\n/);
  }

  async #client(what: string, sentence: RegExp): Promise<Client> {
    const address = await until(what, () => {
      if (this.process.exitCode !== null) throw new Error(`it ended while starting: ${this.stderr}`);
      return sentence.exec(this.stderr)?.[1];
    });
    return new Client(address.replace("localhost", "127.0.0.1"));
  }

  /** What it has logged, line by line. */
  get logged(): Json[] {
    return this.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  signal(signal: NodeJS.Signals): NodeProcess["ended"] {
    this.process.kill(signal);
    return within(`the end after ${signal}`, this.ended);
  }

  /** Ends it in any state. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}
