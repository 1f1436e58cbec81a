import { createHmac, hkdfSync } from "node:crypto";

/** From before HKDF: a newly derived secret would not match what is registered elsewhere, or on other nodes during an upgrade. */
const olderPurposes: ReadonlySet<string> = new Set(["telegram webhook"]);

/** A secret for one purpose. It is the same after restarts, and does not reveal the secret that it comes from. */
export function derivedSecret(secret: string, purpose: string): string {
  if (olderPurposes.has(purpose))
    return createHmac("sha256", secret).update(`secret for: ${purpose}`).digest("base64url");
  return Buffer.from(hkdfSync("sha256", secret, "", `openseat: ${purpose}`, 32)).toString("base64url");
}
