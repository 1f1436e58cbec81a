import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "../../../packages/server/test/support/folder.ts";
import { type ReleaseDeps, runRelease } from "../src/release.ts";

const ours = join(import.meta.dirname, "../../..");

/** Why there is nothing to clone, or undefined if there is. */
export const missingRepository: string | undefined = whyMissing();

function whyMissing(): string | undefined {
  try {
    execFileSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"], { cwd: ours, stdio: "ignore" });
    return undefined;
  } catch {
    return "these files are not in a git repository, or git is not installed";
  }
}

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** A clone of this repository on a branch main. */
export class Clone {
  readonly root: string;
  readonly remove: () => void;
  /** The version before the release. */
  readonly last: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor() {
    const { path, remove } = tempFolder();
    this.root = join(path, "clone");
    this.remove = remove;
    // Settings of people, such as signing or hooks, must not change what is tested.
    const settings = join(path, "settings");
    writeFileSync(settings, "[safe]\n directory = *\n[user]\n name = A test\n email = test@example.com\n");
    this.#environment = { ...process.env, GIT_CONFIG_GLOBAL: settings, GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", ["clone", "--quiet", "--depth", "1", "--no-tags", `file://${ours}`, this.root], {
      env: this.#environment,
      stdio: "pipe",
    });
    this.git("tag", "start");
    this.reset();
    this.last = this.json("package.json").version;
  }

  /** Undoes everything since it was cloned. */
  reset(): void {
    this.git("checkout", "--quiet", "--force", "-B", "main", "start");
    this.git("clean", "--quiet", "--force", "-d");
    for (const tag of this.tags) this.git("tag", "--delete", tag);
  }

  get tags(): readonly string[] {
    const tags = this.git("tag", "--list").split("\n");
    return tags.filter((tag) => tag !== "start");
  }

  git(...args: readonly string[]): string {
    const options = { cwd: this.root, env: this.#environment, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", args, options).trim();
  }

  /** What is not committed. */
  get status(): string {
    return this.git("status", "--porcelain");
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into files of several kinds
  json(path: string): any {
    return JSON.parse(this.read(path));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  commit(): void {
    this.git("commit", "--quiet", "--all", "--message", "A change");
  }

  /** `npm run release` in it, without the build, which has a test of its own. */
  async release(args: readonly string[], build: ReleaseDeps["build"] = async () => {}): Promise<Ran> {
    let text = "";
    const code = await runRelease(args, {
      root: this.root,
      today: new Date("2027-01-31T23:59:59Z"),
      packages: ["@openseat/client", "openseat"],
      build,
      print: (each) => {
        text += each;
      },
    });
    return { code, text };
  }
}
