import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { waitMsMax } from "../support/patience.ts";
import { findProgram } from "../support/programs.ts";

const variable = "OPENSEAT_TEST_CURL";
const curl = findProgram({ variable, names: ["curl"] });

/** Why the commands of a guide cannot be run, or undefined if they can. */
export const missingCurl = curl === undefined ? `no curl found; install it or set ${variable}` : undefined;

/** Runs all commands of a guide in one shell, in their order, against the server at `url`. Gives what they print. */
export async function runCommandsOf(guide: string, url: string, folder: string): Promise<string> {
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block);
  const script = blocks.join("echo\n").replaceAll("http://localhost:8080", url);
  const withCurl = `curl() { "${curl}" "$@"; }\n${script}`;
  const options = { cwd: folder, timeout: waitMsMax };
  const { stdout, stderr } = await promisify(execFile)("sh", ["-eu", "-c", withCurl], options);
  assert.equal(stderr, "");
  return stdout;
}
