import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

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
  const kept = readSecretFile(path, check);
  if (kept) return kept;
  const secrets = {
    guestSecret: randomBytes(32).toString("base64url"),
    operatorKey: `operator_${randomBytes(24).toString("base64url")}`,
    serviceKey: `service_${randomBytes(24).toString("base64url")}`,
  };
  writeSecretFile(path, secrets);
  return secrets;
}

/** An empty secret would let anyone in as anyone. */
function check(content: unknown): Secrets {
  const given = (content ?? {}) as Secrets;
  for (const name of ["guestSecret", "operatorKey", "serviceKey"] as const)
    if (typeof given[name] !== "string" || given[name].length < 16)
      throw new Error(`${name} must be a text of at least 16 characters`);
  return given;
}
