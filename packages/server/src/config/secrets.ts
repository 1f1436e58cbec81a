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
export function loadSecrets(folder: string): { secrets: Secrets; areNew: boolean } {
  const path = join(folder, "secrets.json");
  try {
    const secrets = JSON.parse(readFileSync(path, "utf8")) as Secrets;
    chmodSync(path, 0o600);
    return { secrets, areNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new Error(`The secrets in ${path} cannot be read: ${(error as Error).message}.`, {
        cause: error,
      });
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
  return { secrets, areNew: true };
}
