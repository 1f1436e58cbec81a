import { chownSync, readFileSync, renameSync, type Stats, statSync, writeFileSync } from "node:fs";
import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "./load-config.ts";
import { type SecretName, type SecretStore, SecretsUnreadable } from "./secret-store.ts";

/** Secrets as files of the data folder, readable by its owner alone (AU4). */
export class FolderSecrets implements SecretStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A running server looks every second: while the disk hangs, only the look waits. */
  async read<Content>(name: SecretName, check: (content: unknown) => Content): Promise<Content | undefined> {
    const path = this.#pathOf(name);
    try {
      const content = check(JSON.parse(await readFile(path, "utf8")));
      if ((await stat(path)).mode & 0o077) await chmod(path, 0o600);
      return content;
    } catch (error) {
      return unread(path, error);
    }
  }

  async make(name: SecretName, content: unknown): Promise<boolean> {
    if (statOf(this.#pathOf(name))) return false;
    const folder = statOf(this.#folder);
    // Made here, the folder would hold a key that no server uses, and the operator would think it done.
    if (!folder)
      throw new ConfigError([`There is no data folder at ${this.#folder}. Please name it with --data.`]);
    this.#write(name, content, process.getuid?.() === 0 ? folder : undefined);
    return true;
  }

  async replace(name: SecretName, from: unknown, to: unknown): Promise<boolean> {
    // In one go with the writing: of two who replace it at once, one would otherwise undo what the other did.
    if (!isDeepStrictEqual(this.#kept(name), from)) return false;
    // Root may do it for a server that runs as someone else, which has to be able to read what comes of it.
    this.#write(name, to, statOf(this.#pathOf(name)));
    return true;
  }

  #kept(name: SecretName): unknown {
    const path = this.#pathOf(name);
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      return unread(path, error);
    }
  }

  /** In one step: half a file would lock everyone out at the next start. */
  #write(name: SecretName, content: unknown, owner: Stats | undefined): void {
    const path = this.#pathOf(name);
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
    if (owner && owner.uid !== process.getuid?.()) chownSync(`${path}.new`, owner.uid, owner.gid);
    renameSync(`${path}.new`, path);
  }

  #pathOf(name: SecretName): string {
    return join(this.#folder, `${name}.json`);
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function unread(path: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw new SecretsUnreadable(path, error);
}
