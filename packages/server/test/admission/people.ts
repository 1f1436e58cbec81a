import type { PersonId, TicketNumber } from "@openseat/kernel";
import { type Admission, AdmissionProofs } from "../../src/app/queues/admission-proofs.ts";
import { newSigningKey, type SigningKey } from "../../src/config/signing-keys.ts";

export const issuer = "https://wait.test";
/** Half a second past a whole one, so that rounding shows. */
export const now = 1_700_000_000_500;

type Place = Omit<Admission, "use" | "sessionId">;

/** Ann, with ticket 7 in the queue of the shop; `changes` replace fields. */
function placeOf(changes: Partial<Place>): Place {
  const ann = { person: "ann" as PersonId, ticket: 7 as TicketNumber };
  return { queue: "shop", ...ann, issuedAt: now, expiresAt: now + 120_000, ...changes };
}

export function admissionOf(changes: Partial<Place> = {}): Admission {
  return { use: "admission", ...placeOf(changes) };
}

export function sessionOf(changes: Partial<Place> = {}, sessionId = "shop-7-session"): Admission {
  return { use: "session", ...placeOf(changes), sessionId };
}

/** Proofs on keys that a test may replace, as a rotation does. */
export class Stage {
  keys: readonly SigningKey[];
  readonly proofs: AdmissionProofs;

  constructor(keys: readonly SigningKey[] = [newSigningKey(now)]) {
    this.keys = keys;
    this.proofs = new AdmissionProofs({ keys: () => this.keys }, issuer);
  }
}
