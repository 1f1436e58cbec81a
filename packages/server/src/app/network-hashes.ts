import { hash } from "node:crypto";

const hashLength = 16;
/** Cached hashes. */
const rememberedMax = 10_000;

/** LN10, LM6: the log holds only hashes of addresses. */
export class NetworkHashes {
  readonly #secret: string;
  readonly #known = new Map<string, string>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Undefined for callers in this process that name no address. */
  of(address: string): string;
  of(address: string | undefined): string | undefined;
  of(address: string | undefined): string | undefined {
    if (address === undefined) return undefined;
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const hashed = hash("sha256", `address: ${this.#secret} ${address}`, "base64url").slice(0, hashLength);
    if (this.#known.size >= rememberedMax) this.#known.clear();
    this.#known.set(address, hashed);
    return hashed;
  }
}
