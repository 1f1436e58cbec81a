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

/** Ids of positions and sessions: the queue, the ticket and a proof. The proof keeps ids from being guessed without a lookup. */
export class PlaceIds {
  readonly #prefix: string;

  constructor(kind: "position" | "session", secret: string) {
    this.#prefix = `id of a ${kind}: ${secret} `;
  }

  idOf(queue: string, ticket: number): string {
    const name = `${queue}-${ticket.toString(36)}`;
    return `${name}-${this.#proofOf(name)}`;
  }

  /** Undefined for an id that this server did not make. */
  placeOf(id: string): PlaceName | undefined {
    if (!shape.test(id)) return undefined;
    const name = id.slice(0, -proofLength - 1);
    if (!isSameText(id.slice(-proofLength), this.#proofOf(name))) return undefined;
    const dash = name.lastIndexOf("-");
    return { queue: name.slice(0, dash), ticket: Number.parseInt(name.slice(dash + 1), 36) as TicketNumber };
  }

  /**
   * A single hash instead of the two of an HMAC, because every request of a crowd computes it. An HMAC protects against length
   * extension, which needs the whole hash; only three eighths are shown.
   */
  #proofOf(name: string): string {
    return hash("sha256", this.#prefix + name, "base64url").slice(0, proofLength);
  }
}
