import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../app/identity.ts";

/** What limits have to know of a route or a live message. */
export interface Traits {
  /** Work already begun (heartbeat, claim, leave, move) goes before new work (join, enter, create, reads). */
  readonly isBegun: boolean;
  /** What it costs the write budgets of the person and the address; 0 for reads and heartbeats. */
  readonly cost: number;
}

/** Work that takes nothing from anybody's budget. */
export const free: Traits = { isBegun: false, cost: 0 };

const writing = ["POST", "PUT", "PATCH", "DELETE"];

/** The traits of a route, by what it states and by its method. */
export function traitsOf(
  method: string | readonly string[],
  { isBegun = false, cost }: { readonly isBegun?: boolean; readonly cost?: number },
): Traits {
  const isWrite = [method].flat().some((name) => writing.includes(name));
  return { isBegun, cost: cost ?? (isWrite ? 1 : 0) };
}

export type Check = (traits: Traits, identity: Identity | null, address: string) => Refusal | undefined;

/** LM4: refuses new work because of the load, by where it came from. */
export interface Shedding {
  refusalFor(traits: Traits, address: string): Refusal | undefined;
  /** How long such a refusal is held back. */
  readonly heldMs: number;
}

/** Whether a token, or a header with one, is the key of a service or an operator. */
export type IsRoleKey = (token: string) => boolean;

/** The one place where limits apply to requests: Fastify, the fast path and live messages all ask here. */
export class Gatekeeper {
  readonly #checks: readonly Check[];
  readonly #shedding: Shedding;
  readonly #isRoleKey: IsRoleKey;

  /** Checks in the order in which they are asked: a refused request costs nothing in the checks after it. */
  constructor(checks: readonly Check[], shedding: Shedding, isRoleKey: IsRoleKey) {
    this.#checks = checks;
    this.#shedding = shedding;
    this.#isRoleKey = isRoleKey;
  }

  /**
   * Why this request is refused because of the load; undefined when it is not. The refusal goes out by `hold`. Called before
   * authentication, which costs more than the refusal. Services and operators are never refused for load.
   */
  shed(traits: Traits, address: string, token: string | undefined): Refusal | undefined {
    const isExempt = token !== undefined && this.#isRoleKey(token);
    return isExempt ? undefined : this.#shedding.refusalFor(traits, address);
  }

  hold(refuse: () => void): void {
    setTimeout(refuse, this.#shedding.heldMs);
  }

  /** Why this request is not served now; undefined when it is. Called once per request, after authentication. */
  refusalFor(traits: Traits, identity: Identity | null, address: string): Refusal | undefined {
    for (const check of this.#checks) {
      const refusal = check(traits, identity, address);
      if (refusal) return refusal;
    }
    return undefined;
  }
}
