import { compactVerify, createRemoteJWKSet, errors } from "jose";

/** Verified tokens that are remembered; past it the oldest is forgotten, and checked again when it comes. */
const rememberedMax = 50_000;

const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The user's own issuer, whose public keys are at an address. */
export class RemoteIssuer {
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #remembered = new Set<string>();

  constructor(jwksUrl: string) {
    this.#keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000, cooldownDuration: 5_000 });
  }

  /** Checks the signature alone: that stays right, so it is remembered. Times have to be checked each time. */
  async hasSigned(token: string): Promise<boolean | "unreachable"> {
    if (this.#remembered.has(token)) return true;
    try {
      await compactVerify(token, this.#keys, { algorithms });
    } catch (error) {
      return isAboutTheToken(error) ? false : "unreachable";
    }
    if (this.#remembered.size >= rememberedMax) {
      const [oldest] = this.#remembered;
      this.#remembered.delete(oldest);
    }
    this.#remembered.add(token);
    return true;
  }
}

/** As opposed to: the keys could not be fetched, or are not keys. */
function isAboutTheToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code;
}
