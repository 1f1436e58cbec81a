/**
 * Runs the tests that match the given patterns. Small files share a process, because starting one and loading the
 * server takes longer than most of their tests.
 */
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import report from "./test-reporter.ts";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const groupsFolder = mkdtempSync(join(cache, "openseat-tests-"));
// The folder for files written by tests. PostgreSQL may run as another user, who must be able to enter it.
const runFolder = mkdtempSync(join(memoryFolder() ?? tmpdir(), "openseat-run-"));
chmodSync(runFolder, 0o711);
process.env.OPENSEAT_TEST_RUN_FOLDER = runFolder;
process.once("exit", () => {
  for (const folder of [groupsFolder, runFolder])
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
// Share Node's compile cache between all test processes and the processes they start.
process.env.NODE_COMPILE_CACHE ??= join(cache, "openseat-compiled");
/** These files run in their own process, because they are slow or change their process. The slowest come first. */
const apart = [
  "sim/",
  "nodes/",
  "crash/",
  "operations/",
  "copy/",
  "e2e/",
  "bench/test/flood",
  "bench/test/nodes",
];
/** Several times what the longest file takes on a busy machine. */
const fileMsMax = 900_000;
const groupBytesMax = 100_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: "string", default: "5" } },
});

/** An in-memory filesystem with enough room that allows executables. Disks are much slower. */
function memoryFolder(): string | undefined {
  const [folder, bytesMin] = ["/dev/shm", 4 * 2 ** 30];
  if (process.platform !== "linux" || freemem() < 2 * bytesMin) return undefined;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === folder);
  const [, , kind, options] = mount?.split(" ") ?? [];
  if (kind !== "tmpfs" || options.split(",").includes("noexec")) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < bytesMin ? undefined : folder;
}

/** Groups of files from the same package, in the order of the names. */
function groupsOf(files: readonly string[]): string[][] {
  const groups: string[][] = [];
  let [group, bytes, folder]: [string[], number, string] = [[], 0, ""];
  for (const file of files) {
    const { size } = statSync(join(root, file));
    const own = file.split("/", 2).join("/");
    if (own !== folder || bytes + size > groupBytesMax) {
      [group, bytes, folder] = [[], 0, own];
      groups.push(group);
    }
    group.push(file);
    bytes += size;
  }
  return groups;
}

/** A file that runs the whole group. It is JavaScript, because Node refuses to run TypeScript in node_modules. */
function fileFor(group: readonly string[]): string {
  if (group.length === 1) return join(root, group[0]);
  const path = join(groupsFolder, `${group[0].replaceAll("/", "-")}.mjs`);
  const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
  writeFileSync(path, imports.join(""));
  return path;
}

/** Interleaves both lists, so that tests that wait run next to tests that compute. */
function alternating<T>(first: readonly T[], second: readonly T[]): T[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((each) => each !== undefined);
}

const found = positionals.flatMap((pattern) => {
  const matching = globSync(pattern, { cwd: root, exclude: ["**/node_modules/**"] });
  // A renamed folder would otherwise drop out of the suite unnoticed.
  if (matching.length === 0) throw new Error(`No test file matches ${pattern}.`);
  return matching;
});
const files = [...new Set(found.map((file) => file.replaceAll("\\", "/")))].sort();
const alone = apart.flatMap((part) => files.filter((file) => `/${file}`.includes(`/${part}`)));
const groups = groupsOf(files.filter((file) => !alone.includes(file)));
const tests = run({
  files: alternating(
    alone.map((file) => [file]),
    groups,
  ).map(fileFor),
  concurrency: Number(values.concurrency),
  execArgv: ["--import", import.meta.resolve("./untracked-promises.ts")],
  // A file that hangs fails, instead of holding up the run forever.
  timeout: fileMsMax,
});
tests.on("test:fail", () => {
  process.exitCode = 1;
});
tests.compose(report).pipe(process.stdout);
