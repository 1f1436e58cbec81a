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

// Whatever ends the benchmark, its servers end and their folders go with it.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

/** A new folder on a disk, that is gone when the benchmark is. */
export function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(durableTemp(), prefix));
  folders.add(folder);
  return folder;
}

export function dropFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** A folder for temporary files that is on a disk: flushes to a filesystem in memory would cost nothing. */
function durableTemp(): string {
  const usual = tmpdir();
  return statfsSync(usual).type === memoryFilesystem ? "/var/tmp" : usual;
}

export type ChildSettings = {
  readonly env?: Record<string, string>;
  readonly channel?: boolean;
  /** It ends when its channel closes, and is given time for it: killed outright, it would leave processes of its own. */
  readonly endsWithChannel?: boolean;
};

/** A child process, with the end of its output kept for the message that says why it failed. */
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

  /** Whether it ended by itself and content, rather than by force or in trouble. */
  get endedWell(): boolean {
    return this.process.exitCode === 0;
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Ends it and waits until it has: kindly first, and by force when it does not listen. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.hasExited) return;
    const force = setTimeout(() => this.process.kill("SIGKILL"), stopTimeoutMs);
    if (this.#endsWithChannel && this.process.connected) this.process.disconnect();
    else this.process.kill(signal);
    await this.#exited;
    clearTimeout(force);
  }
}

/** The environment without settings of an Openseat that somebody runs here, which would be measured with ours. */
function inheritedEnv(): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean => name.startsWith("OPENSEAT_") || name === "DATABASE_URL";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}

/** A port nobody listens on now, below those that the system gives to connections: it is still free when the child starts. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    const port = randomInt(20_000, 32_000);
    probe.once("error", () => resolve(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
