import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** Files beside a database. SQLite creates them with the mode of the database. */
const sideSuffixes = ["-wal", "-shm", "-journal"];

/** AU4: creates the file if it is missing. Only its owner may open it and the files beside it. */
export function keepPrivate(path: string): void {
  if (!tighten(path)) make(path);
  for (const suffix of sideSuffixes) tighten(path + suffix);
}

/** Does not open an existing file: closing it again would release this process's SQLite locks on it. */
function make(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    // Another process that starts on the same folder was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Returns false if there is no such file. */
export function tighten(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  try {
    if (found.mode & 0o077) chmodSync(path, 0o600);
  } catch (error) {
    // Another user's file, or a file system without modes.
    if (!["EPERM", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  return true;
}
