import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskFolder } from "../../../../packages/server/test/support/folder.ts";
import { waitMsMax } from "../../../../packages/server/test/support/patience.ts";
import { freePort } from "../../../../packages/server/test/support/ports.ts";
import { tarballs } from "../../src/root.ts";
import { plainEnvironment } from "../support/npm-project.ts";
import { assignmentsIn, type Instruction, type Stage } from "./dockerfile.ts";

/** Why the steps of an image cannot be run, or undefined if they can. */
export const missingRoot =
  process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/setpriv")
    ? undefined
    : "the steps of the image need Linux, root and setpriv";

/** Stands for the user of the image, who does not exist here. */
const ordinaryUser = "nobody";

/** The last stage of the Dockerfile, executed without a container engine: its absolute paths are below a folder. */
export class Image {
  readonly #folder = diskFolder();
  readonly #env: Record<string, string>;
  #user = "root";
  #workdir = "/";
  readonly volumes: string[] = [];
  stopSignal = "SIGTERM";
  #command: readonly string[] = [];
  #healthCheck: readonly string[] = [];

  constructor() {
    const bin = this.#at("/usr/local/bin");
    mkdirSync(bin, { recursive: true });
    chmodSync(this.#folder.path, 0o755);
    copyFileSync(process.execPath, join(bin, "node"));
    this.#env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
  }

  get user(): string {
    return this.#user;
  }

  #at(path: string): string {
    return join(this.#folder.path, path);
  }

  /** Executes the instructions in order. An instruction that is not known here fails. */
  build({ instructions }: Stage): void {
    for (const instruction of instructions) this.#execute(instruction);
  }

  #execute(instruction: Instruction): void {
    const { name, rest } = instruction;
    const execute: Readonly<Record<string, () => void>> = {
      RUN: () => this.#run(instruction),
      ENV: () => Object.assign(this.#env, this.#inside(assignmentsIn(rest))),
      USER: () => {
        this.#user = rest;
      },
      WORKDIR: () => {
        this.#workdir = rest;
        mkdirSync(this.#at(rest), { recursive: true });
      },
      VOLUME: () => this.volumes.push(rest),
      STOPSIGNAL: () => {
        this.stopSignal = rest;
      },
      HEALTHCHECK: () => {
        this.#healthCheck = JSON.parse(rest.replace(/^CMD /, ""));
      },
      CMD: () => {
        this.#command = JSON.parse(rest);
      },
      EXPOSE: () => {},
    };
    if (!execute[name]) throw new Error(`The test cannot execute ${name}.`);
    execute[name]();
  }

  #inside(values: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value.startsWith("/") ? this.#at(value) : value]),
    );
  }

  #run({ flags, rest }: Instruction): void {
    for (const { value } of flags) {
      const { type, from, source, target } = assignmentsIn(value, /,/);
      if (type === "cache") continue;
      if (type !== "bind" || from !== "build" || source !== "/source/build/tarballs")
        throw new Error(`The test cannot mount ${value}.`);
      symlinkSync(tarballs, this.#at(target));
    }
    const paths = /(?<= )(?=\/)/g;
    const script = rest.replaceAll(paths, this.#folder.path).replaceAll("node:node", ordinaryUser);
    const env: Record<string, string> = {
      ...plainEnvironment(),
      ...this.#env,
      NPM_CONFIG_UPDATE_NOTIFIER: "false",
      NPM_CONFIG_PREFER_OFFLINE: "true",
    };
    const npm = execFileSync("sh", ["-c", "command -v npm"], {
      env: plainEnvironment(),
      encoding: "utf8",
    }).trim();
    env.PATH = `${env.PATH}:${join(npm, "..")}`;
    execFileSync("sh", ["-euc", script], {
      cwd: this.#at(this.#workdir),
      env,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: waitMsMax,
    });
  }

  /** Starts the command as the user of the image, at a free port. */
  async start(): Promise<{ readonly process: ChildProcess; readonly env: Readonly<Record<string, string>> }> {
    const env = { ...this.#env, HOST: "127.0.0.1", PORT: String(await freePort()) };
    return { process: this.#spawn(this.#command, env, ["ignore", "pipe", "pipe"]), env };
  }

  /** Runs the health check as the user of the image. Resolves with its status. */
  healthCheck(env: Readonly<Record<string, string>>): Promise<number | null> {
    const child = this.#spawn(this.#healthCheck, env, ["ignore", "ignore", "inherit"]);
    return new Promise((resolve) => child.once("close", resolve));
  }

  #spawn(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
    stdio: ("ignore" | "pipe" | "inherit")[],
  ): ChildProcess {
    // `setpriv` replaces itself with the command, so a signal reaches that.
    const as = ["--reuid", ordinaryUser, "--regid", "nogroup", "--clear-groups", "--no-new-privs"];
    return spawn("setpriv", [...as, ...command], { cwd: this.#at(this.#workdir), env: { ...env }, stdio });
  }

  /** The installed packages, by their names. */
  packages(): readonly string[] {
    return globSync("**/node_modules/{*,@*/*}/package.json", { cwd: this.#at("/openseat") }).map((path) =>
      dirname(path).replace(/^.*node_modules\//, ""),
    );
  }

  installedBytes(): number {
    const [kilobytes] = execFileSync("du", ["-sk", this.#at("/openseat")], { encoding: "utf8" }).split("\t");
    return Number(kilobytes) * 1_024;
  }

  read(path: string): string {
    return readFileSync(this.#at(path), "utf8");
  }

  remove(): void {
    this.#folder.remove();
  }
}
