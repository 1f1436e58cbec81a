/**
 * Runs the tests that match the given patterns. Small files share a process: to start one and to read the server's code into it
 * takes longer than what most of them test.
 */
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import report from "./test-reporter.ts";

const root = join(import.meta.dirname, "..");
/** Not TypeScript, which Node refuses to run in there. */
const groupsFolder = join(root, "node_modules/.cache/openseat-tests");
/** Each file of these takes long, mostly waits, or changes its own process. They begin first. */
const apart = /^(e2e|sim)\/|^bench\/test\/(flood|nodes)|\/test\/(copy|crash|nodes|operations)\//;
const groupBytesMax = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: "string", default: "4" } },
});

/** Of one package each, in the order of their names. */
function groupsOf(files: readonly string[]): string[][] {
  const groups: string[][] = [];
  let [package_, bytes] = ["", 0];
  for (const file of files) {
    const { size } = statSync(join(root, file));
    const own = file.split("/", 2).join("/");
    if (own !== package_ || bytes + size > groupBytesMax) {
      groups.push([]);
      [package_, bytes] = [own, 0];
    }
    groups.at(-1)!.push(file);
    bytes += size;
  }
  return groups;
}

/** A file that runs all of the group. */
function fileFor(group: readonly string[]): string {
  if (group.length === 1) return join(root, group[0]);
  const path = join(groupsFolder, `${group[0].replaceAll(/[/\\]/g, "-")}.mjs`);
  const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
  writeFileSync(path, imports.join(""));
  return path;
}

rmSync(groupsFolder, { recursive: true, force: true });
mkdirSync(groupsFolder, { recursive: true });
const found = globSync(positionals, { cwd: root, exclude: ["**/node_modules/**"] }).sort();
const long = found.filter((file) => apart.test(file.replaceAll("\\", "/")));
const groups = [...long.map((file) => [file]), ...groupsOf(found.filter((file) => !long.includes(file)))];
const tests = run({ files: groups.map(fileFor), concurrency: Number(values.concurrency) });
tests.on("test:fail", () => {
  process.exitCode = 1;
});
tests.compose(report).pipe(process.stdout);
