import type { TrustsProxy } from "../../config/trusted-proxies.ts";
import { addressKey, bareAddress } from "./address-key.ts";

export interface AddressTerms {
  readonly trusts: TrustsProxy;
  readonly ipv6PrefixBits: number;
  /** Told of the first forwarded address that was not believed, and then once per hour. */
  readonly onUntrusted: (remoteAddress: string) => void;
}

const warnEveryMs = 60 * 60 * 1000;

/** LM8: where a request came from, as the key that every limit per address counts by. */
export class ClientAddresses {
  readonly #terms: AddressTerms;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(terms: AddressTerms) {
    this.#terms = terms;
  }

  /** `forwardedFor` is the header that proxies append to: the nearest proxy wrote its end. */
  of(remoteAddress: string | undefined, forwardedFor: string | undefined): string {
    const { trusts, ipv6PrefixBits } = this.#terms;
    let address = remoteAddress ?? "";
    if (forwardedFor !== undefined) {
      if (trusts(address, 0)) address = this.#firstUntrusted(address, forwardedFor);
      else this.#warn(address);
    }
    return addressKey(address, ipv6PrefixBits);
  }

  /** What stands before the first proxy that is not ours is the client's own word. */
  #firstUntrusted(remoteAddress: string, forwardedFor: string): string {
    const hops = forwardedFor.split(",");
    let address = remoteAddress;
    for (let hop = 0; hop < hops.length && this.#terms.trusts(address, hop); hop++)
      // Some proxies write ports, which no range of trusted addresses has.
      address = bareAddress(hops[hops.length - 1 - hop].trim());
    return address;
  }

  /** Without the warning, an operator would learn from refused visitors that everybody shares the proxy's address. */
  #warn(address: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < warnEveryMs) return;
    this.#warnedAt = now;
    this.#terms.onUntrusted(address);
  }
}
