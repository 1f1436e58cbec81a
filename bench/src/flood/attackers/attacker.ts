import type { Address } from "../../load.ts";
import type { GoodputSample } from "../measuring/goodput.ts";

/** The final report of an attacking process. */
export type AttackReport = {
  /** Answers by status; also connections opened, and connections that ended or failed ("cut"). */
  readonly counts: Readonly<Record<string, number>>;
  readonly goodput: readonly GoodputSample[];
  /** Refusals to honest people; empty if there were none. */
  readonly refused: readonly string[];
  /** The first reason why a connection ended or failed to open. */
  readonly cutReason?: string | undefined;
};

const refusedShownMax = 5;

/** One attacking process: its target, its deadline and its results. */
export class Attacker {
  readonly target: Address;
  readonly goodput: GoodputSample[] = [];
  readonly #counts = new Map<string, number>();
  readonly #refused: string[] = [];
  readonly #end = new AbortController();
  readonly #onBegun: () => void;
  #hasBegun = false;
  #cutReason: string | undefined;

  /** `onBegun` is called once, for the first connection. */
  constructor(target: Address, onBegun: () => void) {
    this.target = target;
    this.#onBegun = onBegun;
  }

  /** The server's address, with this local address for connections. */
  from(localAddress: string): Address {
    return { ...this.target, localAddress };
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  end(): void {
    this.#end.abort();
  }

  /** Waits for this time, or until the attack is over. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) return resolve();
      const timer = setTimeout(resolve, ms);
      this.#end.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Waits until the attack is over. */
  over(): Promise<void> {
    return this.pause(2 ** 31 - 1);
  }

  count(what: string | number, times = 1): void {
    const key = String(what);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
  }

  /** A connection is open. Without any, the attack did not take place. */
  opened(): void {
    this.count("opened");
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#onBegun();
  }

  /** A connection ended or could not be opened. */
  cut(error?: Error): void {
    if (this.isOver) return;
    this.count("cut");
    this.#cutReason ??= error?.message;
  }

  /** An honest person was not served. */
  refuse(why: string): void {
    this.count("refused");
    if (this.#refused.length < refusedShownMax) this.#refused.push(why);
  }

  get report(): AttackReport {
    return {
      counts: Object.fromEntries(this.#counts),
      goodput: this.goodput,
      refused: this.#refused,
      cutReason: this.#cutReason,
    };
  }
}

/** Loopback addresses for attackers: 127.1.0.1, 127.1.0.2… */
export function attackerAddress(number: number): string {
  return `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}
