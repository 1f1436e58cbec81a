import { randomBytes } from "node:crypto";
import type { SecretStore } from "./secret-store.ts";

/** What the server must keep to itself, and keep across restarts. */
export interface Secrets {
  /** Signs the tokens of guests. */
  readonly guestSecret: string;
  readonly operatorKey: string;
  readonly serviceKey: string;
}

/** AU4: made at the first start of any node, and the same for all from then on. */
export async function loadSecrets(store: SecretStore): Promise<Secrets> {
  const kept = await readSecrets(store);
  if (kept) return kept;
  const made = {
    guestSecret: randomBytes(32).toString("base64url"),
    operatorKey: `operator_${randomBytes(24).toString("base64url")}`,
    serviceKey: `service_${randomBytes(24).toString("base64url")}`,
  };
  // Another node may have been first: then its own are everybody's.
  return (await store.make("secrets", made)) ? made : loadSecrets(store);
}

/** Those that are kept; undefined before the first start. */
export function readSecrets(store: SecretStore): Promise<Secrets | undefined> {
  return store.read("secrets", check);
}

/** An empty secret would let anyone in as anyone. */
function check(content: unknown): Secrets {
  const given = (content ?? {}) as Secrets;
  for (const name of ["guestSecret", "operatorKey", "serviceKey"] as const)
    if (typeof given[name] !== "string" || given[name].length < 16)
      throw new Error(`${name} must be a text of at least 16 characters`);
  return given;
}
