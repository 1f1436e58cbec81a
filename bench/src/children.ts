import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const stopTimeoutMs = 60_000;
const outputKeptChars = 4_000;
const memoryFilesystem = 0x01021994;

const running = new Set<ChildProcess>();
const folders = new Set<string>();

// However the benchmark ends, stop its servers and remove their folders.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

/** A new folder on a disk, removed at the end of the benchmark. */
export function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(durableTemp(), prefix));
  folders.add(folder);
  return folder;
}

export function dropFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** A temporary folder on a disk: flushes to an in-memory filesystem would cost nothing. */
function durableTemp(): string {
  const usual = tmpdir();
  return statfsSync(usual).type === memoryFilesystem ? "/var/tmp" : usual;
}

export type ChildSettings = {
  readonly env?: Record<string, string>;
  readonly channel?: boolean;
  /**
   * The child exits by itself when its channel closes, and gets time to do so: killing it would leave its own child
   * processes behind.
   */
  readonly endsWithChannel?: boolean;
};

/** A child process. The end of its output is kept for error messages. */
export class Child {
  readonly process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #endsWithChannel: boolean;
  #output = "";

  constructor(program: string, { env, channel, endsWithChannel = false }: ChildSettings) {
    this.process = spawn(process.execPath, [program], {
      env: { ...inheritedEnv(), ...env },
      stdio: ["ignore", "pipe", "pipe", channel ? "ipc" : "ignore"],
    });
    this.#endsWithChannel = endsWithChannel;
    if (!endsWithChannel) running.add(this.process);
    this.#exited = once(this.process, "exit").finally(() => running.delete(this.process));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-outputKeptChars);
      });
    }
  }

  get pid(): number {
    return this.process.pid as number;
  }

  get output(): string {
    return this.#output;
  }

  /** Whether it exited by itself with status 0. */
  get endedWell(): boolean {
    return this.process.exitCode === 0;
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Stops the child: first with a signal, then by force if it does not exit. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.hasExited) return;
    const force = setTimeout(() => this.process.kill("SIGKILL"), stopTimeoutMs);
    if (this.#endsWithChannel && this.process.connected) this.process.disconnect();
    else this.process.kill(signal);
    await this.#exited;
    clearTimeout(force);
  }
}

/** The environment without OPENSEAT_ settings of the developer, which would change the measured server. */
function inheritedEnv(): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean => name.startsWith("OPENSEAT_") || name === "DATABASE_URL";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}

/** A free port below the system's range for outgoing connections, so it is still free when the child starts. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    const port = randomInt(20_000, 32_000);
    probe.once("error", () => resolve(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
