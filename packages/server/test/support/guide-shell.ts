// Runs the commands of guides as they are written there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { waitMsMax } from "./patience.ts";
import { findProgram } from "./programs.ts";

const curlVariable = "OPENSEAT_TEST_CURL";
const curl = findProgram({ variable: curlVariable, names: ["curl"] });
const sqliteVariable = "OPENSEAT_TEST_SQLITE3";
const sqlite3 = findProgram({ variable: sqliteVariable, names: ["sqlite3"] });

/** Why the commands of a guide cannot be run, or undefined if they can. */
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
  /** What stands in the guide, such as an address, and what it is here. */
  readonly here?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Programs that the machine need not have, and the command that does the same. */
  readonly standIns?: Readonly<Record<string, string>>;
}

/** Runs commands of a guide in one shell. Gives what they print. */
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

/** Runs all commands of a guide in one shell, in their order, against the server at `url`. Gives what they print. */
export async function runCommandsOf(guide: string, url: string, folder: string): Promise<string> {
  const here = { "http://localhost:8080": url };
  const { stdout, stderr } = await runCommands(blocksOf(guide).join("echo\n"), { folder, here });
  assert.equal(stderr, "");
  return stdout;
}
