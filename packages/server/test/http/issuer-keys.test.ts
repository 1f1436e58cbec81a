import assert from "node:assert/strict";
import { KeyObject, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, suite, test } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Identity } from "../../src/app/identity.ts";
import { Authenticator } from "../../src/transport/auth/authenticator.ts";
import type { Proof } from "../../src/transport/auth/proof.ts";
import { until } from "../support/http.ts";
import { inSeconds, issuer } from "../support/tokens.ts";

const second = 1_000;

/** An issuer whose published keys a test can change, and whose responses it can delay or break. */
class Issuer {
  readonly #pairs = new Map<string, { privateKey: CryptoKey; jwk: JWK }>();
  readonly #server: Server;
  published: string[] = [];
  asked = 0;
  isDown = false;
  #release: (() => void) | undefined;
  #held: Promise<void> = Promise.resolve();

  private constructor() {
    this.#server = createServer(async (_, response) => {
      this.asked++;
      await this.#held;
      const keys = this.published.map((kid) => this.#pairs.get(kid)!.jwk);
      if (this.isDown) response.writeHead(500).end();
      else response.end(JSON.stringify({ keys }));
    });
  }

  static async open(...kids: string[]): Promise<Issuer> {
    const issuer = new Issuer();
    for (const kid of kids) {
      const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
      issuer.#pairs.set(kid, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" } });
    }
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** From now on its responses wait for `release`. */
  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release?.();
  }

  /** Signed by hand: a library would refuse some of the headers tried here. */
  token(kid: string, header: Record<string, unknown> = {}): string {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: issuer, sub: "ann", exp: inSeconds(86_400) };
    const signed = `${encode({ alg: "ES256", kid, ...header })}.${encode(claims)}`;
    const key = KeyObject.from(this.#pairs.get(kid)!.privateKey);
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  async close(): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function codeOf(proof: Proof): string | undefined {
  return "refusal" in proof ? proof.refusal.code : undefined;
}

suite("keys that an issuer withdraws", () => {
  let keys: Issuer;
  let now = 0;
  let warnings: unknown[] = [];
  let authenticator: Authenticator;

  before(async () => {
    keys = await Issuer.open("old", "new");
  });
  after(() => keys.close());

  beforeEach(() => {
    keys.release();
    Object.assign(keys, { published: ["old", "new"], isDown: false, asked: 0 });
    now = Date.now();
    warnings = [];
    authenticator = new Authenticator({
      guestSecret: "the secret of the guests of this test",
      operatorKey: "operator-key-of-the-test",
      serviceKey: "service-key-of-the-test",
      issuer,
      issuerJwksUrl: keys.url,
      now: () => now,
      elapsed: () => now,
      onIssuerError: (error) => warnings.push(error),
    });
  });

  const prove = async (token: string) => codeOf(await authenticator.prove(token));

  async function identityOf(token: string): Promise<Identity> {
    const proof = await authenticator.prove(token);
    assert.ok("identity" in proof);
    return proof.identity;
  }

  /** Sends a token every second. */
  async function comeFor(seconds: number, token: string): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      now += second;
      await authenticator.prove(token);
    }
  }

  test("[AU5] tokens of a withdrawn key are refused within a minute; those of the other keys stay valid", async () => {
    const [old, fresh] = [keys.token("old"), keys.token("new")];
    assert.deepEqual([await prove(old), await prove(fresh)], [undefined, undefined]);
    keys.published = ["new"];
    await comeFor(59, fresh);
    await until("the end of the old key", async () => (await prove(old)) === "auth.invalid");
    assert.equal(await prove(fresh), undefined);
  });

  test("[AU5] keys are fetched a few times per minute, however many tokens arrive, and no token waits", async () => {
    const token = keys.token("old");
    assert.equal(await prove(token), undefined);
    assert.equal(keys.asked, 1);
    await comeFor(19, token);
    assert.equal(keys.asked, 1);
    keys.hold();
    // The response is held, so a token that waits for it would never be verified.
    await comeFor(20, token);
    assert.equal(
      await prove(keys.token("new")),
      undefined,
      "neither does a token that was never seen before",
    );
    await until("the fetch", () => keys.asked === 2);
  });

  test("[AU5] the first token after a quiet time is checked against fresh keys", async () => {
    const token = keys.token("old");
    const identity = await identityOf(token);
    keys.published = ["new"];
    now += 3_600 * second;
    const [proof, renewed] = await Promise.all([authenticator.prove(token), authenticator.renew(identity)]);
    assert.deepEqual([codeOf(proof), codeOf(renewed)], ["auth.invalid", "auth.invalid"]);
    assert.equal(keys.asked, 2);
  });

  test("[AU5] while the issuer is unreachable its last keys stay valid, with one warning; then they are checked again", async () => {
    const token = keys.token("old");
    const identity = await identityOf(token);
    Object.assign(keys, { published: ["new"], isDown: true });
    for (const hour of [1, 2, 3]) {
      now += 3_600 * second;
      assert.equal(await prove(token), undefined, `after ${hour} hours`);
      assert.equal(codeOf(await authenticator.renew(identity)), undefined, `after ${hour} hours`);
    }
    assert.equal(warnings.length, 1);
    assert.equal(authenticator.isIssuerUp, false);
    keys.isDown = false;
    now += 3_600 * second;
    assert.equal(await prove(token), "auth.invalid");
    assert.equal(authenticator.isIssuerUp, true);
    keys.isDown = true;
    now += 3_600 * second;
    await authenticator.prove(token);
    assert.equal(warnings.length, 2, "a new outage is logged again");
  });

  test("[AU5] an open connection's token ends with its key, which is noticed on renewal", async () => {
    const [ann, bob] = [await identityOf(keys.token("old")), await identityOf(keys.token("new"))];
    keys.published = ["new"];
    for (let i = 0; i < 59; i++) {
      now += second;
      await authenticator.renew(bob);
    }
    await until("the end", async () => codeOf(await authenticator.renew(ann)) === "auth.invalid");
    assert.equal(codeOf(await authenticator.renew(bob)), undefined);
    const guest = await identityOf(authenticator.newGuest().token);
    assert.equal(codeOf(await authenticator.renew(guest)), undefined);
  });

  test("[AU5] a key that returns, or another one under the same id, is checked separately", async () => {
    const token = keys.token("old");
    assert.equal(await prove(token), undefined);
    keys.published = ["new"];
    now += 3_600 * second;
    assert.equal(await prove(token), "auth.invalid");
    keys.published = ["old"];
    now += 3_600 * second;
    assert.equal(await prove(token), undefined);
    assert.equal(await prove(keys.token("new")), "auth.invalid");
    const impostor = await Issuer.open("old");
    await impostor.close();
    assert.equal(await prove(impostor.token("old")), "auth.invalid");
  });

  test("[AU5] a token whose header has an unsupported requirement is refused", async () => {
    for (const header of [
      { crit: ["b64"], b64: true },
      { crit: ["exp"], exp: 1 },
      { crit: [] },
      { crit: null },
    ])
      assert.equal(await prove(keys.token("old", header)), "auth.invalid", JSON.stringify(header));
    assert.equal(await prove(keys.token("old")), undefined);
  });
});
