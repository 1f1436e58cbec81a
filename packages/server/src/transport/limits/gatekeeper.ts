import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../app/identity.ts";

export interface Traits {
  /** Work already begun (heartbeat, claim, leave, move) has priority over new work (join, enter, create, reads). */
  readonly isBegun: boolean;
  /** The cost in write budgets; 0 for reads and heartbeats. */
  readonly cost: number;
}

export const free: Traits = { isBegun: false, cost: 0 };

const writing = ["POST", "PUT", "PATCH", "DELETE"];

export function traitsOf(
  method: string | readonly string[],
  { isBegun = false, cost }: { readonly isBegun?: boolean; readonly cost?: number },
): Traits {
  const isWrite = [method].flat().some((name) => writing.includes(name));
  return { isBegun, cost: cost ?? (isWrite ? 1 : 0) };
}

export type Check = (traits: Traits, identity: Identity | null, address: string) => Refusal | undefined;

export interface Shedding {
  refusalFor(traits: Traits, address: string): Refusal | undefined;
  readonly heldMs: number;
}

/** Whether a token, or an `Authorization` header, contains the key of a service or an operator. */
export type IsRoleKey = (token: string) => boolean;

export class Gatekeeper {
  readonly #checks: readonly Check[];
  readonly #shedding: Shedding;
  readonly #isRoleKey: IsRoleKey;

  /** A request that one check refuses costs nothing in the checks after it. */
  constructor(checks: readonly Check[], shedding: Shedding, isRoleKey: IsRoleKey) {
    this.#checks = checks;
    this.#shedding = shedding;
    this.#isRoleKey = isRoleKey;
  }

  /**
   * LM4: the refusal because of load, to be sent with `hold`. Call it before authentication, which costs more. Services and
   * operators are exempt.
   */
  shed(traits: Traits, address: string, token: string | undefined): Refusal | undefined {
    if (token !== undefined && this.#isRoleKey(token)) return undefined;
    return this.#shedding.refusalFor(traits, address);
  }

  hold(refuse: () => void): void {
    setTimeout(refuse, this.#shedding.heldMs);
  }

  /** Call it once per request, after authentication. */
  refusalFor(traits: Traits, identity: Identity | null, address: string): Refusal | undefined {
    for (const check of this.#checks) {
      const refusal = check(traits, identity, address);
      if (refusal) return refusal;
    }
    return undefined;
  }
}
