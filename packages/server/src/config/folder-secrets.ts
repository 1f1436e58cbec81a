import { chownSync, readFileSync, renameSync, type Stats, statSync, writeFileSync } from "node:fs";
import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "./load-config.ts";
import { type SecretName, type SecretStore, SecretsUnreadable } from "./secret-store.ts";

/** Secrets as files in the data folder, readable only by its owner (AU4). */
export class FolderSecrets implements SecretStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Asynchronous, because a running server reads every second and a hanging disk must not block it. */
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
    // Do not create the folder here: it would hold a key that no server uses, and the rotation would only seem to have worked.
    if (!folder)
      throw new ConfigError([`There is no data folder at ${this.#folder}. Please name it with --data.`]);
    this.#write(name, content, process.getuid?.() === 0 ? folder : undefined);
    return true;
  }

  async replace(name: SecretName, from: unknown, to: unknown): Promise<boolean> {
    // Read and write in one synchronous step: otherwise one of two concurrent replacements would undo the other.
    if (!isDeepStrictEqual(this.#kept(name), from)) return false;
    // Keep the owner: root may rotate keys for a server that runs as another user, which must be able to read the file.
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

  /** Write atomically: half a file would lock everyone out at the next start. */
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
