import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the server must keep to itself, and keep across restarts. */
export interface Secrets {
  /** Signs the tokens of guests. */
  readonly guestSecret: string;
  readonly operatorKey: string;
  readonly serviceKey: string;
}

/** AU4: made at first start, kept in the data folder, readable by the owner alone. */
export function loadSecrets(folder: string): Secrets {
  const path = join(folder, "secrets.json");
  try {
    const secrets = check(readFileSync(path, "utf8"));
    chmodSync(path, 0o600);
    return secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      // Never the parser's own words: they quote what they could not read.
      const why = error instanceof SyntaxError ? "they are not JSON" : (error as Error).message;
      throw new SecretsUnreadable(`The secrets in ${path} cannot be read: ${why}.`, { cause: error });
    }
  }
  const secrets = {
    guestSecret: randomBytes(32).toString("base64url"),
    operatorKey: `operator_${randomBytes(24).toString("base64url")}`,
    serviceKey: `service_${randomBytes(24).toString("base64url")}`,
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // In one step: half a file would lock everyone out at the next start.
  writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  return secrets;
}

class SecretsUnreadable extends Error {
  override readonly name = "SecretsUnreadable";
}

/** An empty secret would let anyone in as anyone. */
function check(text: string): Secrets {
  const given = (JSON.parse(text) ?? {}) as Secrets;
  for (const name of ["guestSecret", "operatorKey", "serviceKey"] as const)
    if (typeof given[name] !== "string" || given[name].length < 16)
      throw new Error(`${name} must be a text of at least 16 characters`);
  return given;
}
