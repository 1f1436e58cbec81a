import { join } from "node:path";
import { NpmProject } from "./npm-project.ts";

/** One that is too old and lacks SQLite, and one on which the server runs as it is. */
export const [tooOld, older] = ["20.20.2", "22.23.3"];

/** The package of npm with a Node for this machine. */
const carrier =
  process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64")
    ? `node-linux-${process.arch}`
    : undefined;

export const missingOtherNodes =
  carrier === undefined ? "other versions of Node are installed on Linux only" : undefined;

const project = new NpmProject();
let installed: Promise<void> | undefined;

/** Installs the two versions, once for all tests of this process. */
export function installOtherNodes(): Promise<void> {
  const named = [tooOld, older].map((version) => `node-${version}@npm:${carrier}@${version}`);
  installed ??= project.install([], named);
  return installed;
}

/** The folder with the program `node` of this version. */
export function nodeFolder(version: string): string {
  return join(project.folder, "node_modules", `node-${version}`, "bin");
}
