import { createHmac, randomBytes } from "node:crypto";

const tokenLifetimeS = 24 * 60 * 60;

export const issuer = "bench";

/** A person's single join: the token, and the idempotency key. */
export type Person = { readonly token: string; readonly key: string };

/** As long as a guest id: shorter names would make people look cheaper in memory than they are. */
export function personName(number: number): string {
  return `visitor-${String(number).padStart(14, "0")}`;
}

/** The number in such a name. */
export function personNumber(name: string): number {
  return Number(name.slice(name.indexOf("-") + 1));
}

/** A person's idempotency key, in the form of a UUID. */
export function keyOf(start: string, number: number): string {
  return `${start}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** An endless crowd. Nobody joins twice, because that would measure a refusal or a replay. */
export class Crowd {
  readonly #secret: string;
  readonly #expires = Math.floor(Date.now() / 1000) + tokenLifetimeS;
  readonly #header = base64Url(JSON.stringify({ alg: "HS256", typ: "JWT" }));
  /** The prefix of this crowd's keys. */
  readonly keyStart = randomBytes(4).toString("hex");
  #count = 0;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The number of the latest person. */
  get count(): number {
    return this.#count;
  }

  next(): Person {
    return this.person(++this.#count);
  }

  /** Person 1, 2, 3… With a lane, the token gives them that lane in waiting rooms. */
  person(number: number, lane = 0): Person {
    const laneClaim = lane === 0 ? "" : `,"openseat_lane":${lane}`;
    const claims = base64Url(
      `{"iss":"${issuer}","sub":"${personName(number)}","exp":${this.#expires}${laneClaim}}`,
    );
    const signed = `${this.#header}.${claims}`;
    const signature = createHmac("sha256", this.#secret).update(signed).digest("base64url");
    return {
      token: `${signed}.${signature}`,
      key: keyOf(this.keyStart, number),
    };
  }
}

function base64Url(text: string): string {
  return Buffer.from(text, "latin1").toString("base64url");
}
