import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../app/identity.ts";

export type Proof = { readonly identity: Identity } | { readonly refusal: Refusal };

export const missingToken: Refusal = {
  code: "auth.missing",
  message: "This requires a bearer token. Sign in, or get a guest token from POST /api/v1/guests.",
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
    message: "Your token cannot be verified right now. Please try again in a moment.",
    retryable: true,
  },
};
