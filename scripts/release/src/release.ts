import { parseArgs } from "node:util";
import { changesFor, changing } from "./changes.ts";
import { instructionsFor } from "./instructions.ts";
import { problemsWith } from "./problems.ts";
import { readRepository } from "./repository.ts";

const help = `Prepares a release. Publishes nothing.

Usage: npm run release -- VERSION [--dry-run] [--branch NAME]

  --dry-run      checks, and says what would change, without changing anything
  --branch NAME  the branch to release from, instead of main
`;

export interface ReleaseDeps {
  readonly root: string;
  readonly today: Date;
  /** The packages to publish. One that needs another comes after it. */
  readonly packages: readonly string[];
  /** Builds the packages, and tests that they open the data of the last release. */
  readonly build: () => Promise<void>;
  readonly print: (text: string) => void;
}

/** `npm run release`. Returns the exit code. */
export async function runRelease(args: readonly string[], deps: ReleaseDeps): Promise<number> {
  try {
    return await release(optionsIn(args), deps);
  } catch (error) {
    deps.print(`${(error as Error).message}\n`);
    return 1;
  }
}

interface Options {
  /** Undefined if only the help is wanted. */
  readonly version?: string;
  readonly isDryRun: boolean;
  readonly branch: string;
}

function optionsIn(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h", default: false },
      "dry-run": { type: "boolean", default: false },
      branch: { type: "string", default: "main" },
    },
  });
  const { help: isHelp, "dry-run": isDryRun, branch } = values;
  if (isHelp) return { isDryRun, branch };
  if (positionals.length !== 1) throw new Error(`Name one version.\n\n${help}`);
  return { version: positionals[0], isDryRun, branch };
}

async function release({ version, isDryRun, branch }: Options, deps: ReleaseDeps): Promise<number> {
  const { root, today, packages, build, print } = deps;
  if (version === undefined) {
    print(help);
    return 0;
  }
  const repository = readRepository(root);
  const problems = problemsWith(repository, version, branch);
  if (problems.length > 0) {
    print(`${version} cannot be released now:\n${problems.map((each) => `- ${each}\n`).join("")}`);
    return 1;
  }
  const changes = changesFor(repository, version, today.toISOString().slice(0, 10));
  const instructions = instructionsFor(version, branch, packages);
  if (isDryRun) {
    const paths = [...changes.keys()].map((path) => `  ${path}\n`).join("");
    print(`${version} can be released. These files would change:\n\n${paths}\n${instructions}`);
    print("\nThis was a dry run: nothing has changed.\n");
    return 0;
  }
  try {
    await changing(root, changes, build);
  } catch (error) {
    throw new Error(
      `${(error as Error).message}\nThe files are as before. Run the command again when it is corrected.`,
    );
  }
  print(`\nOpenseat ${version} is built, and nothing is published yet. Look at it with \`git diff\`;`);
  print(` \`git restore .\` undoes it.\n\n${instructions}`);
  return 0;
}
