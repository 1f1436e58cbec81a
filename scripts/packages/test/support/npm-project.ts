import { type SpawnOptions, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { diskFolder } from "../../../../packages/server/test/support/folder.ts";
import { tarballOf } from "./tarballs.ts";

const projects = join(import.meta.dirname, "../projects");

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project in an empty folder outside this repository, as somebody would have it who installs the packages. */
export class NpmProject {
  readonly folder: string;
  readonly remove: () => void;

  /** `name` is a folder of `projects/`, whose files it starts with. */
  constructor(name?: string) {
    const { path, remove } = diskFolder();
    this.folder = path;
    this.remove = remove;
    if (name !== undefined) cpSync(join(projects, name), path, { recursive: true });
  }

  /** Installs what its package.json names, and these packages of this repository from their packed files. */
  async install(packages: readonly string[] = [], others: readonly string[] = []): Promise<void> {
    const named = [...packages.map(tarballOf), ...others];
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    await this.succeeds("npm", ["install", ...flags, ...named]);
  }

  /** Runs a program to its end, and fails unless it ends well. */
  async succeeds(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(program, args, options);
    if (code !== 0)
      throw new Error(`${[program, ...args].join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  async run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: plainEnvironment(),
      // npm and what it installs are scripts on Windows.
      shell: process.platform === "win32",
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
  }
}

/** Variables of npm that say where to find packages. */
const kept = /^npm_config_(?:registry|cache|userconfig)$/i;

/** Without what `npm run` has set for this repository, and with this Node's folder only if it is on the path anyway. */
export function plainEnvironment(nodeFolder?: string): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE_|INIT_CWD)/i.test(name) || kept.test(name),
  );
  const own = Object.fromEntries(entries) as Record<string, string>;
  // `npm run` puts the programs of this repository first, and among them its Node.
  const folders = (own.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...own, PATH: [...(nodeFolder === undefined ? [] : [nodeFolder]), ...folders].join(":") };
}
