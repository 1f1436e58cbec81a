import { randomBytes } from "node:crypto";
import type { SecretStore } from "./secret-store.ts";

/** Secrets of the server that must survive restarts. */
export interface Secrets {
  /** Signs the tokens of guests. */
  readonly guestSecret: string;
  readonly operatorKey: string;
  readonly serviceKey: string;
}

/** AU4: created at the first start of any node, and then the same for all. */
export async function loadSecrets(store: SecretStore): Promise<Secrets> {
  const kept = await readSecrets(store);
  if (kept) return kept;
  const made = {
    guestSecret: randomBytes(32).toString("base64url"),
    operatorKey: `operator_${randomBytes(24).toString("base64url")}`,
    serviceKey: `service_${randomBytes(24).toString("base64url")}`,
  };
  // If another node was first, use its secrets.
  return (await store.make("secrets", made)) ? made : loadSecrets(store);
}

/** The stored secrets; undefined before the first start. */
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
