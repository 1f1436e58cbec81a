// Runs commands exactly as the guides show them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { waitMsMax } from "./patience.ts";
import { findProgram } from "./programs.ts";

const curlVariable = "OPENSEAT_TEST_CURL";
const curl = findProgram({ variable: curlVariable, names: ["curl"] });
const sqliteVariable = "OPENSEAT_TEST_SQLITE3";
const sqlite3 = findProgram({ variable: sqliteVariable, names: ["sqlite3"] });

/** Why a guide's commands cannot run, or undefined if they can. */
export const missingCurl =
  curl === undefined ? `no curl found; install it or set ${curlVariable}` : undefined;
export const missingSqlite3 =
  sqlite3 === undefined ? `no sqlite3 found; install it or set ${sqliteVariable}` : undefined;

/** The code blocks of a guide, in their order. */
export function blocksOf(guide: string, language = "sh"): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block);
}

export interface GuidePlace {
  readonly folder: string;
  /** Texts of the guide, such as an address, and their replacements here. */
  readonly here?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Programs that the machine may lack, and commands that do the same. */
  readonly standIns?: Readonly<Record<string, string>>;
}

/** Runs a guide's commands in one shell. Returns their output. */
export async function runCommands(commands: string, place: GuidePlace) {
  const { folder, here = {}, variables = {}, standIns = {} } = place;
  let script = commands;
  for (const [there, replacement] of Object.entries(here)) script = script.replaceAll(there, replacement);
  const programs = { curl: `"${curl}"`, sqlite3: `"${sqlite3}"`, ...standIns };
  const functions = Object.entries(programs).map(([name, command]) => `${name}() { ${command} "$@"; }\n`);
  const env = { ...process.env, ...variables };
  const options = { cwd: folder, timeout: waitMsMax, env };
  return await promisify(execFile)("sh", ["-eu", "-c", functions.join("") + script], options);
}

/** Runs all commands of a guide in one shell, in order, against the server at `url`. Returns their output. */
export async function runCommandsOf(guide: string, url: string, folder: string): Promise<string> {
  const here = { "http://localhost:8080": url };
  const { stdout, stderr } = await runCommands(blocksOf(guide).join("echo\n"), { folder, here });
  assert.equal(stderr, "");
  return stdout;
}
