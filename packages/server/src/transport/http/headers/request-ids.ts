import { randomBytes } from "node:crypto";
import type { TrustsProxy } from "../../../config/trusted-proxies.ts";

/** Other characters could inject lines into logs and headers. */
const wellFormed = /^[\w.:+/=@-]{1,128}$/;

const idBytes = 12;
const idLength = 16;
/** Random bytes are drawn in bulk: drawing them per id costs several times as much. */
const idsAtOnce = 1_024;

let made = "";
let next = 0;

/** Random, because a counter would reveal how many requests others send. */
export function newRequestId(): string {
  if (next === made.length) {
    made = randomBytes(idBytes * idsAtOnce).toString("base64url");
    next = 0;
  }
  const start = next;
  next += idLength;
  return made.slice(start, next);
}

/** OP3: the id that a trusted proxy gave a request, or a new one. */
export class RequestIds {
  readonly #trusts: TrustsProxy;
  constructor(trusts: TrustsProxy) {
    this.#trusts = trusts;
  }

  of(remoteAddress: string | undefined, given: string | undefined): string {
    if (given !== undefined && wellFormed.test(given) && this.#trusts(remoteAddress ?? "", 0)) return given;
    return newRequestId();
  }
}
