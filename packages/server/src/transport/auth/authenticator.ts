import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Refusal } from "@openseat/kernel";
import type { Guest } from "@openseat/protocol";
import { friendlyName } from "@openseat/protocol/friendly-names";
import {
  guestPrefix,
  type Identity,
  isGuest,
  isPersonId,
  ownPrefixes,
  personIdShape,
} from "../../app/identity.ts";
import type { HmacSha256 } from "../../crypto/hmac.ts";
import {
  type Claims,
  claimsOf,
  hs256Key,
  isSignedBy,
  signHs256,
  tokenLengthMax,
} from "../../crypto/hs256.ts";
import type { Check } from "../limits/gatekeeper.ts";
import { expiredToken, invalidToken, type Proof, unreachableIssuer } from "./proof.ts";
import { RemoteIssuer } from "./remote-issuer.ts";

export interface AuthOptions {
  readonly guestSecret: string;
  readonly operatorKey: string;
  readonly serviceKey: string;
  readonly issuer?: string | undefined;
  readonly issuerSecret?: string | undefined;
  readonly issuerJwksUrl?: string | undefined;
  readonly audience?: string | undefined;
  /** AU9: whether people without an account are admitted; true by default. */
  readonly guests?: boolean;
  /** Milliseconds since 1970, by the wall clock, as in tokens. */
  readonly now: () => number;
  readonly elapsed?: () => number;
  readonly onIssuerError?: (error: unknown) => void;
}

/** The `iss` of the tokens made here; no other issuer may have this name. */
const guestIssuer = "openseat";
export const guestLifetimeSeconds = 30 * 24 * 60 * 60;
/** Maximum clock difference between an issuer and this server. */
const leewaySeconds = 5;

const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const foreign = invalidToken("its signature does not match any key of this server");

/** AU1: turns a bearer token into an identity. */
export class Authenticator {
  readonly #guestKey: HmacSha256;
  readonly #roleKeys: readonly { readonly digest: Buffer; readonly identity: Identity }[];
  readonly #issuerKey: HmacSha256 | undefined;
  readonly #remote: RemoteIssuer | undefined;
  readonly #options: AuthOptions;
  /** AU9: set when guests are turned off. */
  readonly guestsRefusal: Refusal | undefined;

  constructor(options: AuthOptions) {
    this.#options = options;
    this.guestsRefusal = options.guests === false ? guestsOff : undefined;
    this.#guestKey = hs256Key(options.guestSecret);
    this.#roleKeys = [
      { digest: digest(options.operatorKey), identity: { role: "operator", by: "@operator" } },
      { digest: digest(options.serviceKey), identity: { role: "service", by: "@service" } },
    ];
    this.#issuerKey = options.issuerSecret ? hs256Key(options.issuerSecret) : undefined;
    const { issuerJwksUrl: jwksUrl, onIssuerError: onError = () => {} } = options;
    const { elapsed = () => performance.now() } = options;
    this.#remote = jwksUrl ? new RemoteIssuer({ jwksUrl, elapsed, onError }) : undefined;
  }

  /** AU9: existing guests may still read and finish what they have begun. */
  readonly checkGuest: Check = ({ isBegun, cost }, identity) =>
    isBegun || cost === 0 || !identity || !isGuest(identity) ? undefined : this.guestsRefusal;

  newGuest(given?: string): Guest {
    const id = guestPrefix + randomBytes(12).toString("base64url");
    return this.guest(id, given ?? friendlyName(id));
  }

  guest(id: string, name: string): Guest {
    return { token: this.tokenForGuest(id, name), person: { userId: id, id, name } };
  }

  /** A token for an existing guest, for example on another device. */
  tokenForGuest(id: string, name: string): string {
    const now = Math.floor(this.#options.now() / 1000);
    const expiry = { iat: now, exp: now + guestLifetimeSeconds };
    return signHs256({ iss: guestIssuer, aud: guestIssuer, sub: id, name, ...expiry }, this.#guestKey);
  }

  /** The guest of a token; undefined for other tokens, and for invalid ones. */
  guestOf(token: string): Identity | undefined {
    if (token.length > tokenLengthMax || !tokenShape.test(token)) return undefined;
    const claims = claimsOf(token);
    if (claims?.iss !== guestIssuer || !isSignedBy(token, this.#guestKey)) return undefined;
    const proof = this.#provePerson(claims, guestIssuer);
    return "identity" in proof ? proof.identity : undefined;
  }

  /** A promise only if keys have to be fetched. */
  prove(token: string): Proof | Promise<Proof> {
    if (token.length > tokenLengthMax) return invalidToken("it is too long");
    if (!mayBePersons(token)) return this.#proveRole(token);
    // Base64 decoders ignore other characters, so each spelling of the same token would be cached separately.
    if (!tokenShape.test(token)) return invalidToken("it is not a JSON Web Token");
    const claims = claimsOf(token);
    if (!claims) return invalidToken("it cannot be decoded");
    if (claims.iss === guestIssuer)
      return isSignedBy(token, this.#guestKey) ? this.#provePerson(claims, guestIssuer) : foreign;
    if (this.#issuerKey) return isSignedBy(token, this.#issuerKey) ? this.#proveOwn(claims) : foreign;
    if (this.#remote) return this.#proveRemote(this.#remote, token, claims);
    return foreign;
  }

  async #proveRemote(remote: RemoteIssuer, token: string, claims: Claims): Promise<Proof> {
    const issuerKey = await remote.signerOf(token);
    if (issuerKey === "unreachable") return unreachableIssuer;
    if (issuerKey === undefined) return foreign;
    const proof = this.#proveOwn(claims);
    return "refusal" in proof ? proof : { identity: { ...proof.identity, issuerKey } };
  }

  /** Whether the identity of an open connection is still valid. */
  renew(identity: Identity): Proof | Promise<Proof> {
    const { expires, issuerKey } = identity;
    if (expires !== undefined && expires + leewaySeconds <= this.#options.now() / 1000) return expiredToken;
    if (issuerKey === undefined || !this.#remote) return { identity };
    return this.#remote.trusts(issuerKey).then((isTrusted) => (isTrusted ? { identity } : foreign));
  }

  /** Whether the last attempt to fetch the keys of a remote issuer succeeded. */
  get isIssuerUp(): boolean {
    return this.#remote?.isUp ?? true;
  }

  /** Whether a token, or an `Authorization` header, contains the key of a service or an operator. */
  isRoleKey(token: string): boolean {
    if (mayBePersons(token)) return false;
    return "identity" in this.#proveRole(token.replace(/^bearer /i, "").trim());
  }

  /** Compares digests: comparing the keys directly would leak through its timing how much of a guess was right. */
  #proveRole(token: string): Proof {
    const given = digest(token);
    const found = this.#roleKeys.find((key) => timingSafeEqual(key.digest, given));
    return found
      ? { identity: found.identity }
      : invalidToken("it is neither a JSON Web Token nor a key of this server");
  }

  #proveOwn(claims: Claims): Proof {
    const { issuer, audience } = this.#options;
    if (claims.iss !== issuer) return invalidToken("it comes from another issuer");
    if (audience !== undefined && claims.aud === undefined) return invalidToken("it names no audience");
    const own = ownPrefixes.find((prefix) => isPersonId(claims.sub) && claims.sub.startsWith(prefix));
    if (own !== undefined) return invalidToken(`only this server may issue ids that begin with ${own}`);
    const proof = this.#provePerson(claims, audience);
    const lane = laneOf(claims);
    if ("refusal" in proof || lane === undefined) return proof;
    return lane === "invalid"
      ? invalidToken(`its ${laneClaim} must be a number from 0 to 15, or a name`)
      : { identity: { ...proof.identity, ...lane } };
  }

  #provePerson({ sub, exp, nbf, aud, name }: Claims, audience: string | undefined): Proof {
    const now = this.#options.now() / 1000;
    if (typeof exp !== "number") return invalidToken("it has no expiry time");
    if (exp + leewaySeconds <= now) return expiredToken;
    if (nbf !== undefined && !(typeof nbf === "number" && nbf - leewaySeconds <= now))
      return invalidToken("it is not valid yet");
    if (aud !== undefined && audience !== undefined && ![aud].flat().includes(audience))
      return invalidToken("it is meant for another audience");
    if (!isPersonId(sub)) return invalidToken(`its subject must have ${personIdShape}`);
    const shown = typeof name === "string" ? name : undefined;
    return { identity: { role: "person", by: sub, name: shown, expires: exp } };
  }
}

/** JSON Web Tokens contain dots; keys do not. */
function mayBePersons(token: string): boolean {
  return token.includes(".");
}

const guestsOff: Refusal = {
  code: "auth.guests-off",
  message: "Guests are not accepted here. Sign in on the site that sent you, then come back.",
};

/** LN9: only the configured issuer grants lanes; guests have none. */
const laneClaim = "openseat_lane";

function laneOf(claims: Claims): { lane: number | string } | "invalid" | undefined {
  const lane = claims[laneClaim];
  if (lane === undefined) return undefined;
  const isNumber = Number.isInteger(lane) && (lane as number) >= 0 && (lane as number) <= 15;
  const isName = typeof lane === "string" && lane.length >= 1 && lane.length <= 32;
  return isNumber || isName ? { lane: lane as number | string } : "invalid";
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
