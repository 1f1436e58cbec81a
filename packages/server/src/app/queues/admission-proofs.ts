import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { assert, type PersonId, type TicketNumber } from "@openseat/kernel";
import type { KeyRing } from "../../config/key-ring.ts";
import { isSigning, type SigningKey } from "../../config/signing-keys.ts";
import { tokenLengthMax } from "../../crypto/hs256.ts";
import { type Refused, type Result, refused } from "../result.ts";

/** Times are in milliseconds since 1970. */
interface Place {
  readonly queue: string;
  readonly person: PersonId;
  readonly ticket: TicketNumber;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What a token proves: an admitted place, or its session. */
export type Admission = Place &
  (
    | { readonly use: "admission" }
    // Names the session, so that a site can end it.
    | { readonly use: "session"; readonly sessionId: string }
  );

/** Signatures are cached because a page that polls gets its token in every answer, and signing costs as much as two requests. */
const signaturesMax = 10_000;
/** A site behind the gate sends its session with every request. */
const checkedMax = 20_000;

/** A set of keys, with caches. */
interface Held {
  readonly keys: readonly SigningKey[];
  readonly header: string;
  readonly privateKey: KeyObject;
  /** By the whole header of their tokens, so that no other algorithm or type is accepted. */
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  /** By the encoded claims. */
  readonly signatures: Map<string, string>;
  readonly checked: Map<string, Admission>;
}

/** AD6: signed tokens that prove an admission to a site without a call to this server (AD9). Nothing is stored. */
export class AdmissionProofs {
  readonly #ring: Pick<KeyRing, "keys">;
  readonly #issuer: string;
  #held: Held;

  constructor(ring: Pick<KeyRing, "keys">, issuer: string) {
    this.#ring = ring;
    this.#issuer = issuer;
    this.#held = hold(ring.keys());
  }

  sign(admission: Admission): string {
    const { header, privateKey, signatures } = this.#current();
    const claims = encode(this.#claimsOf(admission));
    let signature = signatures.get(claims);
    if (signature === undefined) {
      signature = sign(null, Buffer.from(`${header}.${claims}`), privateKey).toString("base64url");
      remember(signatures, claims, signature, signaturesMax);
    }
    return `${header}.${claims}.${signature}`;
  }

  /** Whether a token was signed here and is valid at `now`. */
  check(token: string, now: number): Result<Admission> {
    const { checked, publicKeys } = this.#current();
    let claims = checked.get(token);
    if (!claims) {
      claims = claimsFrom(token, publicKeys);
      if (!claims) return altered;
      // A copy, because a slice of a header would keep the whole header in memory.
      remember(checked, Buffer.from(token).toString("latin1"), claims, checkedMax);
    }
    return claims.expiresAt <= now ? expired : { value: claims };
  }

  /** Also checks the use and, if they are known, the queue and the person. */
  checkFor(
    token: string,
    wanted: Pick<Admission, "use"> & {
      readonly queue?: string | undefined;
      readonly person?: PersonId | undefined;
    },
    now: number,
  ): Result<Admission> {
    const result = this.check(token, now);
    if ("refusal" in result) return result;
    const { use, queue, person } = result.value;
    if (use !== wanted.use) return misused(use, wanted.use);
    if (wanted.queue !== undefined && queue !== wanted.queue) return foreign("queue");
    if (wanted.person !== undefined && person !== wanted.person) return foreign("person");
    return result;
  }

  /** Published for sites (RFC 8037): the key that signs, and those whose tokens may still be valid. */
  publicKeys() {
    return this.#current().keys.map(
      ({ kid, jwk: { kty, crv, x } }) => ({ kty, crv, x, kid, alg: "EdDSA", use: "sig" }) as const,
    );
  }

  #claimsOf(admission: Admission): object {
    const { use, queue, person, ticket, issuedAt, expiresAt } = admission;
    return {
      iss: this.#issuer,
      aud: queue,
      sub: person,
      room: `queue/${queue}`,
      place: ticket,
      use,
      iat: Math.floor(issuedAt / 1000),
      exp: Math.ceil(expiresAt / 1000),
      jti: `${queue}-${ticket}`,
      ...(admission.use === "session" && { sid: admission.sessionId }),
    };
  }

  #current(): Held {
    const keys = this.#ring.keys();
    if (keys !== this.#held.keys) this.#held = hold(keys);
    return this.#held;
  }
}

function hold(keys: readonly SigningKey[]): Held {
  const signing = keys.find(isSigning);
  assert(signing !== undefined, "no key signs");
  return {
    keys,
    header: headerOf(signing),
    privateKey: createPrivateKey({ key: signing.jwk, format: "jwk" }),
    publicKeys: new Map(keys.map((key) => [headerOf(key), createPublicKey({ key: key.jwk, format: "jwk" })])),
    signatures: new Map(),
    checked: new Map(),
  };
}

function headerOf({ kid }: SigningKey): string {
  return encode({ alg: "EdDSA", typ: "JWT", kid });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Undefined if the token was not signed here. */
function claimsFrom(token: string, publicKeys: ReadonlyMap<string, KeyObject>): Admission | undefined {
  if (token.length > tokenLengthMax) return undefined;
  const [header, payload, signature, ...more] = token.split(".");
  const key = publicKeys.get(header);
  if (!key || payload === undefined || signature === undefined || more.length > 0) return undefined;
  const bytes = Buffer.from(signature, "base64url");
  // The decoder ignores invalid characters and spare bits, so one valid token would have many spellings.
  if (bytes.toString("base64url") !== signature) return undefined;
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, bytes)) return undefined;
  return admissionOf(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
}

/** The same keys may sign other tokens in the future. */
function admissionOf(claims: Record<string, never>): Admission | undefined {
  const { use, aud, sub, place, iat, exp, sid } = claims;
  const about = { queue: aud, person: sub, ticket: place, issuedAt: iat * 1000, expiresAt: exp * 1000 };
  if (use === "session") return { use, ...about, sessionId: sid };
  return use === "admission" ? { use, ...about } : undefined;
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value, max: number): void {
  if (memory.size >= max) {
    const [oldest] = memory.keys();
    memory.delete(oldest);
  }
  memory.set(key, value);
}

const altered = refused({
  code: "token.invalid",
  message: "The token was not issued by this server, or it was altered.",
});

const expired = refused({
  code: "token.expired",
  message: "The token has expired. Please enter the queue again.",
});

function misused(use: Admission["use"], wanted: Admission["use"]): Refused {
  const message = `This is a token for ${nounOf[use]}. Send a token for ${nounOf[wanted]}.`;
  return refused({ code: "token.invalid", message });
}

const nounOf = { admission: "an admission", session: "a session" } as const;

function foreign(whose: "queue" | "person"): Refused {
  return refused({ code: "token.foreign", message: `The token belongs to another ${whose}.` });
}
