import { createHmac, hkdfSync } from "node:crypto";

/**
 * Purposes from before HKDF. A newly derived secret would not match what is registered elsewhere, or on other nodes during an
 * upgrade.
 */
const olderPurposes: ReadonlySet<string> = new Set(["telegram webhook"]);

/** Derives a secret for one purpose. It is the same after restarts and does not reveal its source. */
export function derivedSecret(secret: string, purpose: string): string {
  if (olderPurposes.has(purpose))
    return createHmac("sha256", secret).update(`secret for: ${purpose}`).digest("base64url");
  return Buffer.from(hkdfSync("sha256", secret, "", `openseat: ${purpose}`, 32)).toString("base64url");
}
