import type { TicketNumber } from "@openseat/kernel";
import { HmacSha256 } from "../auth/hmac.ts";
import { isSameText } from "../auth/hs256.ts";

/** Characters of the proof in an id: 96 bits. */
const proofLength = 16;
const textLengthMax = 256;

const shape = /^[A-Za-z0-9_-]{1,64}-[0-9a-z]{1,7}-[A-Za-z0-9_-]{16}$/;

export interface PlaceName {
  readonly queue: string;
  readonly ticket: TicketNumber;
}

/**
 * Ids of positions and sessions: the queue, the ticket, and a proof that this server wrote them. So nobody can guess
 * one, and none has to be looked up.
 */
export class PlaceIds {
  readonly #hmac: HmacSha256;
  readonly #kind: string;

  /** The secret signs other things too: what is signed here begins with words that nothing else has. */
  constructor(kind: "position" | "session", secret: string) {
    this.#kind = `id of a ${kind}:`;
    this.#hmac = new HmacSha256(secret, textLengthMax);
  }

  idOf(queue: string, ticket: number): string {
    const name = `${queue}-${ticket.toString(36)}`;
    return `${name}-${this.#proofOf(name)}`;
  }

  /** Undefined for an id that this server has not made. */
  placeOf(id: string): PlaceName | undefined {
    if (!shape.test(id)) return undefined;
    const name = id.slice(0, -proofLength - 1);
    if (!isSameText(id.slice(-proofLength), this.#proofOf(name))) return undefined;
    const dash = name.lastIndexOf("-");
    return { queue: name.slice(0, dash), ticket: Number.parseInt(name.slice(dash + 1), 36) as TicketNumber };
  }

  #proofOf(name: string): string {
    return this.#hmac.of(`${this.#kind} ${name}`).slice(0, proofLength);
  }
}
