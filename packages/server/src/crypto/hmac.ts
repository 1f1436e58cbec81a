import { hash } from "node:crypto";

const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA-256 (RFC 2104) of short texts under one key. It takes half the time of `createHmac`, whose two objects per call the
 * garbage collector has to finalise. In a crowd, every request checks a token.
 */
export class HmacSha256 {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  /** `textLengthMax` is in characters, each of which may take three bytes. */
  constructor(secret: string, textLengthMax: number) {
    const given = Buffer.from(secret, "utf8");
    const key = given.length > blockBytes ? hash("sha256", given, "buffer") : given;
    this.#inner = Buffer.alloc(blockBytes + 3 * textLengthMax);
    this.#outer = Buffer.alloc(blockBytes + digestBytes);
    for (let i = 0; i < blockBytes; i++) {
      const byte = key[i] ?? 0;
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  /** In base64url. The text must not be longer than `textLengthMax`. */
  of(text: string): string {
    const length = blockBytes + this.#inner.write(text, blockBytes, "utf8");
    this.#outer.write(hash("sha256", this.#inner.subarray(0, length), "latin1"), blockBytes, "latin1");
    return hash("sha256", this.#outer, "base64url");
  }
}
