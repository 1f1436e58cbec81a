import { hash } from "node:crypto";
import type { TicketNumber } from "@openseat/kernel";
import { isSameText } from "../../crypto/hs256.ts";

/** Characters of the proof in an id: 96 bits. */
const proofLength = 16;

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
  readonly #prefix: string;

  /** The secret signs other things too: what is hashed here begins with words that nothing else has. */
  constructor(kind: "position" | "session", secret: string) {
    this.#prefix = `id of a ${kind}: ${secret} `;
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

  /**
   * One hash, not the two of an HMAC, for every question in a crowd makes one. What an HMAC guards against is that a
   * longer text is signed by whoever knows the hash of a shorter: of this one, five eighths are never shown to anyone.
   */
  #proofOf(name: string): string {
    return hash("sha256", this.#prefix + name, "base64url").slice(0, proofLength);
  }
}
