import { errors, jwtVerify } from "jose";
import type { Settings } from "../options.ts";
import { isId, isTokenShaped } from "../visit/cookies.ts";
import type { GateContext } from "../visit/request.ts";
import { Keys, type KeysDeps } from "./keys.ts";
import { Recent } from "./recent.ts";

/** The clocks of Openseat and of this server may differ by this much. */
const toleranceSeconds = 5;
const verifiedMax = 10_000;

/** What a valid token says. Times are in seconds since 1970. */
export interface Claims {
  readonly person: string;
  /** The id of the session; undefined in the token of an admission. */
  readonly session: string | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Checks Openseat's tokens with its public keys, without a call per token. */
export class Tokens {
  readonly #settings: Pick<Settings, "issuers" | "queue">;
  readonly #keys: Keys;
  /** A page with fifty pictures sends the same token fifty times. */
  readonly #verified = new Recent<Claims>(verifiedMax);

  constructor(settings: Pick<Settings, "issuers" | "queue">, deps: Omit<KeysDeps, "onChange">) {
    this.#settings = settings;
    this.#keys = new Keys({ ...deps, onChange: () => this.#verified.clear() });
  }

  /** Undefined if the token is not valid. Throws if the keys are not available. */
  async check(
    token: string,
    use: "admission" | "session",
    context: GateContext,
  ): Promise<Claims | undefined> {
    const isSession = use === "session";
    const known = isSession ? this.#verified.get(token) : undefined;
    if (known) return isOver(known) ? undefined : known;
    if (!isTokenShaped(token)) return undefined;
    const claims = await this.#verify(token, use, context);
    if (claims && isSession) this.#verified.set(token, claims);
    return claims;
  }

  async #verify(token: string, use: string, context: GateContext): Promise<Claims | undefined> {
    const { issuers, queue } = this.#settings;
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = typeof kid === "string" ? await this.#keys.find(kid, context) : undefined;
          if (!key) throw new errors.JWSSignatureVerificationFailed();
          return key;
        },
        {
          algorithms: ["EdDSA"],
          typ: "JWT",
          issuer: issuers,
          audience: queue,
          clockTolerance: toleranceSeconds,
          requiredClaims: ["exp", "iat", "sub"],
        },
      );
      const { sub: person, iat: issuedAt, exp: expiresAt, sid: session } = payload;
      // Reject `crit`: it demands extensions that this gate does not support (RFC 7515, 4.1.11).
      if (payload.use !== use || "crit" in protectedHeader) return undefined;
      if (use === "session" && !isId(session)) return undefined;
      return {
        person: person!,
        session: isId(session) ? session : undefined,
        issuedAt: issuedAt!,
        expiresAt: expiresAt!,
      };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

function isOver({ expiresAt }: Claims): boolean {
  return expiresAt + toleranceSeconds <= Date.now() / 1_000;
}
