import { randomBytes } from "node:crypto";
import type { TrustsProxy } from "../../../config/trusted-proxies.ts";

/** Anything else could write into logs and headers what it likes. */
const wellFormed = /^[\w.:+/=@-]{1,128}$/;

const idBytes = 12;
const idLength = 16;
/** So many ids are made at once: to make each by itself costs several times as much. */
const idsAtOnce = 1_024;

/** Ids one after the other, and where the next one begins. */
let made = "";
let next = 0;

/** Not counted: a number that grows would tell strangers how much others ask, and when. */
export function newRequestId(): string {
  if (next === made.length) {
    made = randomBytes(idBytes * idsAtOnce).toString("base64url");
    next = 0;
  }
  const start = next;
  next += idLength;
  return made.slice(start, next);
}

/** OP3: one id per request, for logs and answers: the one that a trusted proxy gave it, else a new one. */
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
