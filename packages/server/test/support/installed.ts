import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The first of these programs that there is; installed when it is missing and may be, else one sentence says what to do. */
export function installed(programs: readonly string[], debianPackage: string): string {
  const found = programs.find((path) => existsSync(path));
  if (found) return found;
  try {
    const options = { stdio: "ignore", timeout: 300_000 } as const;
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", debianPackage], options);
  } catch {
    throw new Error(`This test needs ${debianPackage}. Please install it: apt-get install ${debianPackage}`);
  }
  return programs[0];
}
