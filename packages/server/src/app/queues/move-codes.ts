import type { Millis, TicketNumber } from "@openseat/kernel";
import { HmacSha256 } from "../../crypto/hmac.ts";

/** Crockford's alphabet, without I, L, O and U, which are easily mistaken. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerDigit = 5;
/** 35 bits cannot be guessed at ten tries per minute. */
const proofLength = 7;
const groupLength = 4;

const shape = /^[0-9A-HJKMNP-TV-Z]{1,7}[0-9A-HJKMNP-TV-Z]{7}$/;
const typedLengthMax = 64;

/** A code is valid in its slot and the two after it: for 10 to 15 minutes. */
const slotMs = 5 * 60_000;
const slotsTaken = 3;

const textLengthMax = 128;

/** LS6: the codes of this many moves are recognised as used; older codes are reported as wrong. */
const usedKnown = 8;

/**
 * LS6: short codes that move a place to another device: the ticket, and a proof that covers the time and how often the place was
 * moved, so that a code works once. Nothing is stored: every node accepts them, also after a restart.
 */
export class MoveCodes {
  readonly #hmac: HmacSha256;

  constructor(secret: string) {
    this.#hmac = new HmacSha256(secret, textLengthMax);
  }

  codeFor(queue: string, ticket: TicketNumber, moves: number, now: Millis) {
    const slot = Math.floor(now / slotMs);
    const text = written(ticket) + this.#proof(queue, ticket, moves, slot);
    return {
      code: text.match(new RegExp(`.{1,${groupLength}}`, "g"))!.join("-"),
      expiresAt: ((slot + slotsTaken) * slotMs) as Millis,
    };
  }

  /** The ticket that a typed code names; undefined if it cannot be a code. */
  ticketIn(typed: string): TicketNumber | undefined {
    const text = textOf(typed);
    return text === undefined ? undefined : (read(text.slice(0, -proofLength)) as TicketNumber);
  }

  /** Whether a code is valid for a place that was moved this many times. */
  check(queue: string, typed: string, moves: number, now: Millis): "good" | "used" | "wrong" {
    const text = textOf(typed);
    if (text === undefined) return "wrong";
    const ticket = read(text.slice(0, -proofLength)) as TicketNumber;
    const proof = text.slice(-proofLength);
    const newest = Math.floor(now / slotMs);
    for (let made = moves; made >= Math.max(0, moves - usedKnown); made--)
      for (let slot = newest; slot > newest - slotsTaken; slot--)
        if (this.#proof(queue, ticket, made, slot) === proof) return made === moves ? "good" : "used";
    return "wrong";
  }

  #proof(queue: string, ticket: TicketNumber, moves: number, slot: number): string {
    const text = `code to move a place: ${queue} ${ticket} ${slot}${moves === 0 ? "" : ` ${moves}`}`;
    const bytes = Buffer.from(this.#hmac.of(text), "base64url");
    let value = bytes.readUIntBE(0, 6);
    let proof = "";
    for (let index = 0; index < proofLength; index++) {
      proof += digits[value % digits.length];
      value = Math.floor(value / digits.length);
    }
    return proof;
  }
}

function textOf(typed: string): string | undefined {
  if (typed.length > typedLengthMax) return undefined;
  const text = typed.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  return shape.test(text) ? text : undefined;
}

function written(value: number): string {
  let text = "";
  for (let rest = value; rest > 0 || text === ""; rest = Math.floor(rest / digits.length))
    text = digits[rest % digits.length] + text;
  return text;
}

function read(text: string): number {
  return [...text].reduce((value, digit) => value * 2 ** bitsPerDigit + digits.indexOf(digit), 0);
}
