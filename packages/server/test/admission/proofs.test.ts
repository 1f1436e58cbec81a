import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, sign as signBytes } from "node:crypto";
import { describe, test } from "node:test";
import type { PersonId } from "@openseat/kernel";
import { createLocalJWKSet, errors, jwtVerify } from "jose";
import type { AdmissionProofs } from "../../src/app/queues/admission-proofs.ts";
import type { Result } from "../../src/app/result.ts";
import { newSigningKey, rotate, type SigningKey } from "../../src/config/signing-keys.ts";
import { altered, claimsOf, sign as signHmac, withPart } from "../support/tokens.ts";
import { admissionOf, issuer, now, Stage, sessionOf } from "./people.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signed with the real key, whatever the header says. */
function signedBy(key: SigningKey, header: object, claims: unknown): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = signBytes(null, Buffer.from(signed), createPrivateKey({ key: key.jwk, format: "jwk" }));
  return `${signed}.${signature.toString("base64url")}`;
}

function assertRefused(checked: Result<unknown>, code: string, what = ""): void {
  assert.ok("refusal" in checked, `${what} not refused with ${code}`);
  assert.equal(checked.refusal.code, code, what);
  assert.match(checked.refusal.message, /^\S.*\.$/);
}

/** Verifies like a site that knows only the published keys. */
function verifyAsSite(proofs: AdmissionProofs, token: string, at: number, audience = "shop") {
  const keys = createLocalJWKSet({ keys: proofs.publicKeys() });
  return jwtVerify(token, keys, {
    algorithms: ["EdDSA"],
    issuer,
    audience,
    typ: "JWT",
    currentDate: new Date(at),
  });
}

describe("an admission token", () => {
  test("[AD6 AD9] is accepted by a site that has only the published keys", async () => {
    const { proofs, keys } = new Stage();
    const { payload, protectedHeader } = await verifyAsSite(proofs, proofs.sign(admissionOf()), now);
    assert.deepEqual(protectedHeader, { alg: "EdDSA", typ: "JWT", kid: keys[0].kid });
    assert.deepEqual(payload, {
      iss: issuer,
      aud: "shop",
      sub: "ann",
      room: "queue/shop",
      place: 7,
      use: "admission",
      iat: 1_700_000_000,
      exp: 1_700_000_121,
      jti: "shop-7",
    });
  });

  test("[AD9] a session's token also names the session, so that the site can end it", async () => {
    const { proofs } = new Stage();
    const { payload } = await verifyAsSite(proofs, proofs.sign(sessionOf({}, "shop-7-secret")), now);
    assert.deepEqual([payload.use, payload.sid, payload.jti], ["session", "shop-7-secret", "shop-7"]);
  });

  test("[AD9] is refused by such a site for another queue, and after it expires", async () => {
    const { proofs } = new Stage();
    const token = proofs.sign(admissionOf());
    await assert.rejects(verifyAsSite(proofs, token, now, "other"), errors.JWTClaimValidationFailed);
    await assert.rejects(verifyAsSite(proofs, token, now + 121_000), errors.JWTExpired);
  });

  test("[AD6] is checked here as well, and identifies its place", () => {
    const { proofs } = new Stage();
    const rounded = { issuedAt: 1_700_000_000_000, expiresAt: 1_700_000_121_000 };
    for (const make of [admissionOf, sessionOf])
      assert.deepEqual(proofs.check(proofs.sign(make()), now), { value: make(rounded) });
  });

  test("[AD6] is the same each time, also after a server restart: nothing has to be stored", () => {
    const { proofs, keys } = new Stage();
    const token = proofs.sign(admissionOf());
    assert.equal(proofs.sign(admissionOf()), token);
    assert.equal(new Stage(keys).proofs.sign(admissionOf()), token);
    const others = [
      sessionOf(),
      admissionOf({ queue: "other" }),
      admissionOf({ person: "bob" as PersonId }),
      admissionOf({ expiresAt: now + 500_000 }),
    ].map((other) => proofs.sign(other));
    assert.equal(new Set([token, ...others]).size, 5);
  });

  test("[LM2] tokens evicted from the cache are signed and checked again, with the same result", () => {
    const { proofs } = new Stage();
    const first = proofs.sign(admissionOf({ ticket: 1 as never }));
    assert.ok("value" in proofs.check(first, now));
    for (let ticket = 2; ticket < 10_010; ticket++) proofs.sign(admissionOf({ ticket: ticket as never }));
    assert.equal(proofs.sign(admissionOf({ ticket: 1 as never })), first);
    assert.ok("value" in proofs.check(first, now));
  });

  test("[AD7] is valid until the second in which it expires, and not in that second, however often it was checked", () => {
    const { proofs } = new Stage();
    const token = proofs.sign(admissionOf());
    assert.ok("value" in proofs.check(token, now + 120_499));
    assertRefused(proofs.check(token, now + 120_500), "token.expired");
    assertRefused(
      proofs.checkFor(token, { use: "admission", queue: "shop" }, now + 999_999),
      "token.expired",
    );
  });
});

describe("a token that was not issued here", () => {
  const stage = new Stage();
  const { proofs } = stage;
  const [key] = stage.keys;
  const good = proofs.sign(admissionOf());
  const claims = claimsOf(good);
  const header = { alg: "EdDSA", typ: "JWT", kid: key.kid };
  const publicPem = createPublicKey({ key: key.jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
  const hmacHeader = { ...header, alg: "HS256" };
  const stranger = newSigningKey(now);

  const others: [string, string][] = [
    ["nothing", ""],
    ["dots", ".."],
    ["two parts", good.split(".").slice(0, 2).join(".")],
    ["four parts", `${good}.more`],
    ["an altered payload", altered(good, { sub: "bob" })],
    ["an altered payload that is not JSON", withPart(good, 1, () => "####")],
    ["half a signature", withPart(good, 2, (old) => old.slice(0, 40))],
    ["no signature", withPart(good, 2, () => "")],
    ["another spelling of its signature", withPart(good, 2, otherSpelling)],
    ["a signature with odd characters", withPart(good, 2, (old) => `${old}=`)],
    ["alg none with our kid", `${encode({ ...header, alg: "none" })}.${encode(claims)}.`],
    [
      "HS256 with our public key as secret (x)",
      signHmac(claims, Buffer.from(key.jwk.x, "base64url"), hmacHeader),
    ],
    ["HS256 with our public key as secret (PEM)", signHmac(claims, String(publicPem), hmacHeader)],
    ["our key under another type", signedBy(key, { ...header, typ: "at+jwt" }, claims)],
    ["our key under another name", signedBy(key, { ...header, kid: "other" }, claims)],
    ["our key without a name", signedBy(key, { alg: "EdDSA", typ: "JWT" }, claims)],
    ["our key under a header with crit", signedBy(key, { ...header, crit: ["b64"], b64: true }, claims)],
    ["a key of its own in the header", signedBy(stranger, { ...header, jwk: stranger.jwk }, claims)],
    ["another key under our name", signedBy(stranger, header, claims)],
    ["our key, for something else than admission", signedBy(key, header, { ...claims, use: "receipt" })],
    ["a huge one", `${good.split(".")[0]}.${"A".repeat(1_000_000)}.AAAA`],
  ];
  test("[AD7] is refused however much of it is valid, and the original token stays valid", () => {
    for (const [name, token] of others) {
      assertRefused(proofs.check(token, now), "token.invalid", name);
      assertRefused(proofs.checkFor(token, { use: "admission", queue: "shop" }, now), "token.invalid", name);
    }
    assert.ok("value" in proofs.check(good, now));
  });

  /** Base64 of 64 bytes has four spare bits, which decoders ignore. */
  function otherSpelling(signature: string): string {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const other = signature.slice(0, -1) + letters[letters.indexOf(signature.at(-1)!) ^ 1];
    assert.deepEqual(Buffer.from(other, "base64url"), Buffer.from(signature, "base64url"));
    return other;
  }

  test("[AD7] a token for another queue or person gets token.foreign; one for the other use gets token.invalid", () => {
    const wanted = { use: "admission", queue: "shop" } as const;
    assert.ok("value" in proofs.checkFor(good, wanted, now));
    assert.ok("value" in proofs.checkFor(good, { use: "admission" }, now));
    assert.ok("value" in proofs.checkFor(good, { ...wanted, person: "ann" as PersonId }, now));
    assertRefused(proofs.checkFor(good, { ...wanted, queue: "other" }, now), "token.foreign");
    assertRefused(proofs.checkFor(good, { ...wanted, person: "bob" as PersonId }, now), "token.foreign");
    assertRefused(proofs.checkFor(good, { ...wanted, use: "session" }, now), "token.invalid");
  });
});

describe("after a rotation", () => {
  test("[AD6] old tokens stay valid until they expire, new ones use the new key, and both keys are published", async () => {
    const stage = new Stage();
    const [first] = stage.keys;
    const old = stage.proofs.sign(admissionOf());
    const second = newSigningKey(now + 1_000);
    stage.keys = rotate(stage.keys, second, now + 1_000, 60_000);
    const fresh = stage.proofs.sign(admissionOf());
    assert.notEqual(fresh, old);
    assert.deepEqual(
      stage.proofs.publicKeys().map(({ kid }) => kid),
      [second.kid, first.kid],
    );
    for (const token of [old, fresh]) {
      assert.ok("value" in stage.proofs.check(token, now + 2_000));
      await verifyAsSite(stage.proofs, token, now + 2_000);
      assertRefused(stage.proofs.check(token, now + 200_000), "token.expired");
    }
  });

  test("[AD6] a removed key invalidates its tokens, also those that were checked before", async () => {
    const stage = new Stage();
    const old = stage.proofs.sign(admissionOf());
    assert.ok("value" in stage.proofs.check(old, now));
    stage.keys = [newSigningKey(now)];
    assertRefused(stage.proofs.check(old, now), "token.invalid");
    await assert.rejects(verifyAsSite(stage.proofs, old, now), errors.JWKSNoMatchingKey);
  });

  test("[AU4] the published keys have no private part", () => {
    const stage = new Stage();
    stage.keys = rotate(stage.keys, newSigningKey(now), now, 60_000);
    for (const key of stage.proofs.publicKeys())
      assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x"]);
  });
});
