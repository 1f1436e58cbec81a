import { hash } from "node:crypto";

const hashLength = 16;
/** Hashes that are remembered: most requests come from an address that was there before. */
const rememberedMax = 10_000;

/** What stands for an address in the log (LN10, LM6): nobody who reads the log learns the address. */
export class NetworkHashes {
  readonly #secret: string;
  readonly #known = new Map<string, string>();

  /** The secret signs tokens too; what is hashed here begins with words that no token has. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  of(address: string): string {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const hashed = hash("sha256", `address: ${this.#secret} ${address}`, "base64url").slice(0, hashLength);
    if (this.#known.size >= rememberedMax) this.#known.clear();
    this.#known.set(address, hashed);
    return hashed;
  }
}
