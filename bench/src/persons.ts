import { createHmac, randomBytes } from "node:crypto";

const tokenLifetimeS = 24 * 60 * 60;

export const issuer = "bench";

/** One person's one join: who they are, proven, and the key under which they ask. */
export type Person = { readonly token: string; readonly key: string };

/** An endless crowd. Nobody comes twice: a second join by one person would measure a refusal or a replay. */
export class Crowd {
  readonly #secret: string;
  readonly #expires = Math.floor(Date.now() / 1000) + tokenLifetimeS;
  readonly #header = base64Url(JSON.stringify({ alg: "HS256", typ: "JWT" }));
  readonly #keyStart = randomBytes(4).toString("hex");
  #count = 0;

  constructor(secret: string) {
    this.#secret = secret;
  }

  next(): Person {
    const number = ++this.#count;
    const claims = base64Url(`{"iss":"${issuer}","sub":"p${number}","exp":${this.#expires}}`);
    const signed = `${this.#header}.${claims}`;
    const signature = createHmac("sha256", this.#secret).update(signed).digest("base64url");
    return {
      token: `${signed}.${signature}`,
      key: `${this.#keyStart}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`,
    };
  }
}

function base64Url(text: string): string {
  return Buffer.from(text, "latin1").toString("base64url");
}
