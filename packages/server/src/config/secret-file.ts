import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The operator is told in a sentence which file it is; never what is in it. */
class SecretsUnreadable extends Error {
  override readonly name = "SecretsUnreadable";
}

/** What a file of secrets holds, checked; undefined when there is no such file. */
export function readSecretFile<Content>(
  path: string,
  check: (content: unknown) => Content,
): Content | undefined {
  try {
    const content = check(JSON.parse(readFileSync(path, "utf8")));
    chmodSync(path, 0o600);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    // Never the parser's own words: they quote what they could not read.
    const why = error instanceof SyntaxError ? "they are not JSON" : (error as Error).message;
    throw new SecretsUnreadable(`The secrets in ${path} cannot be read: ${why}.`, { cause: error });
  }
}

/** In one step: half a file would lock everyone out at the next start. */
export function writeSecretFile(path: string, content: unknown, owner?: { uid: number; gid: number }): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  if (owner && owner.uid !== process.getuid?.()) chownSync(`${path}.new`, owner.uid, owner.gid);
  renameSync(`${path}.new`, path);
}
