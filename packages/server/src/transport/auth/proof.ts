import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../app/identity.ts";

export type Proof = { readonly identity: Identity } | { readonly refusal: Refusal };

export const missingToken: Refusal = {
  code: "auth.missing",
  message: "This needs a bearer token: of your sign-in, or from POST /api/v1/guests where guests are let in.",
};

export function invalidToken(why: string): Proof {
  return { refusal: { code: "auth.invalid", message: `The token was refused: ${why}.` } };
}

export const expiredToken: Proof = {
  refusal: { code: "auth.expired", message: "The token has expired. Please get a new one." },
};

export const unreachableIssuer: Proof = {
  refusal: {
    code: "auth.unreachable",
    message: "The keys that sign these tokens cannot be fetched just now. Please try again in a moment.",
    retryable: true,
  },
};
