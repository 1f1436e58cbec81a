import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client, within } from "./http.ts";
import { raisedLimits } from "./limits.ts";
import { storeFlags } from "./store.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real server in its own process. */
export class ChildServer {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  url = "";

  private constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    stdout: "pipe" | number = "pipe",
  ) {
    // Omit the caller's settings: a test must not depend on the shell that it runs in.
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.process = spawn(process.execPath, [main, ...args], {
      env: {
        ...(PATH !== undefined && { PATH }),
        ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
        ...environment,
      },
      stdio: ["ignore", stdout, "pipe"],
    });
    this.process.stdout?.on("data", (chunk: Buffer) => {
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

  /** Runs until it exits by itself, as a refused start does. */
  static async run(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended & { stdout: string; stderr: string }> {
    const child = new ChildServer(await onItsStore(args, environment), environment);
    try {
      const ended = await within(`the end of: ${args.join(" ")}`, child.ended);
      return { ...ended, stdout: child.stdout, stderr: child.stderr };
    } finally {
      child.process.kill("SIGKILL");
    }
  }

  /** Resolves before the server can be reached. */
  static async begin(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    stdout?: number,
  ): Promise<ChildServer> {
    const given = await onItsStore(args, environment);
    return new ChildServer(["--port", "0", "--no-demo", ...raisedLimits, ...given], environment, stdout);
  }

  /** Starts, and resolves when the server can be reached. `stdout` is an open file for the logs. */
  static async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    stdout?: number,
  ): Promise<ChildServer> {
    const child = await ChildServer.begin(args, environment, stdout);
    const ready = new Promise<void>((resolve, reject) => {
      child.process.stderr!.on("data", () => {
        const address = /Openseat is at (http:\/\/\S+)\n/.exec(child.stderr)?.[1];
        if (address === undefined) return;
        child.url = address.replace("localhost", "127.0.0.1");
        resolve();
      });
      void child.ended.then((ended) =>
        reject(new Error(`it ended while starting: ${JSON.stringify(ended)}`)),
      );
    });
    try {
      await within("the start of the server", ready);
    } catch (error) {
      child.process.kill("SIGKILL");
      const said = `${child.stdout}${child.stderr}`;
      throw new Error(`${(error as Error).message}; it said: ${said}`, { cause: error });
    }
    return child;
  }

  /** Starts a server for `work`, and always ends it. */
  static async running<Result>(
    args: readonly string[],
    work: (client: Client, server: ChildServer) => Promise<Result>,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Result> {
    const server = await ChildServer.start(args, environment);
    const client = server.client();
    try {
      return await work(client, server);
    } finally {
      client.close();
      await server.kill();
    }
  }

  client(socketsMax = 64): Client {
    return new Client(this.url, socketsMax);
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.process.kill(signal);
    return within(`the end after ${signal}`, this.ended);
  }

  /** Ends it in any state. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}

/** Adds the database that replaces its data folder, if the tests run on PostgreSQL and none is set. */
async function onItsStore(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (args.includes("--database-url") || environment.DATABASE_URL !== undefined) return args;
  const at = args.indexOf("--data");
  return [...args, ...(await storeFlags(at < 0 ? undefined : args[at + 1]))];
}
