import type { Millis, TicketNumber } from "@openseat/kernel";
import { HmacSha256 } from "../../crypto/hmac.ts";

/** Crockford's: without I, L, O and U, so that nothing is taken for something else when it is read out. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerDigit = 5;
/** 35 bits: at ten tries a minute nobody comes upon a code. */
const proofLength = 7;
const groupLength = 4;

const shape = /^[0-9A-HJKMNP-TV-Z]{1,7}[0-9A-HJKMNP-TV-Z]{7}$/;
const typedLengthMax = 64;

/** A code is of one slot of time, and taken during that and the two after it: for 10 to 15 minutes. */
const slotMs = 5 * 60_000;
const slotsTaken = 3;

const textLengthMax = 128;

/** LS6: this many of the codes used last are recognised as used; older ones are wrong codes. */
const usedKnown = 8;

/**
 * LS6: short codes that move a place to another device: the ticket, and a proof that is good for some minutes. The proof is also
 * of how often the place was moved before, so a code that was used is good no more. Nothing else is kept of them: every node
 * takes them, also after a restart.
 */
export class MoveCodes {
  readonly #hmac: HmacSha256;

  /** The secret signs other things too: what is signed here begins with words that nothing else has. */
  constructor(secret: string) {
    this.#hmac = new HmacSha256(secret, textLengthMax);
  }

  codeFor(
    queue: string,
    ticket: TicketNumber,
    moves: number,
    now: Millis,
  ): { readonly code: string; readonly expiresAt: Millis } {
    const slot = Math.floor(now / slotMs);
    const text = written(ticket) + this.#proof(queue, ticket, moves, slot);
    return {
      code: text.match(new RegExp(`.{1,${groupLength}}`, "g"))!.join("-"),
      expiresAt: ((slot + slotsTaken) * slotMs) as Millis,
    };
  }

  /** The ticket that a typed code says it is for; undefined for what cannot be a code. */
  ticketIn(typed: string): TicketNumber | undefined {
    const text = textOf(typed);
    return text === undefined ? undefined : (read(text.slice(0, -proofLength)) as TicketNumber);
  }

  /** Whether a code is good for a place that was moved so many times; one of another queue, or too old, is wrong. */
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
  const text = typed.length > typedLengthMax ? "" : plain(typed);
  return shape.test(text) ? text : undefined;
}

/** As people type: in small letters, with spaces, with the letter for the digit. */
function plain(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
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
