import type { TrustsProxy } from "../../config/trusted-proxies.ts";
import { addressKey, bareAddress } from "./address-key.ts";

export interface AddressTerms {
  readonly trusts: TrustsProxy;
  readonly ipv6PrefixBits: number;
  /** Called for the first forwarded address of an untrusted proxy, and then once per hour. */
  readonly onUntrusted: (remoteAddress: string) => void;
}

const warnEveryMs = 60 * 60 * 1000;

/** LM8: the key by which limits per address count a request. */
export class ClientAddresses {
  readonly #terms: AddressTerms;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(terms: AddressTerms) {
    this.#terms = terms;
  }

  /** `forwardedFor` is the header that proxies append to: the nearest proxy wrote the last entry. */
  of(remoteAddress: string | undefined, forwardedFor: string | undefined): string {
    const { trusts, ipv6PrefixBits } = this.#terms;
    let address = remoteAddress ?? "";
    if (forwardedFor !== undefined) {
      if (trusts(address, 0)) address = this.#firstUntrusted(address, forwardedFor);
      else this.#warn(address);
    }
    return addressKey(address, ipv6PrefixBits);
  }

  /** The client can forge everything before the first untrusted proxy. */
  #firstUntrusted(remoteAddress: string, forwardedFor: string): string {
    const hops = forwardedFor.split(",");
    let address = remoteAddress;
    for (let hop = 0; hop < hops.length && this.#terms.trusts(address, hop); hop++)
      // Some proxies add ports, which trusted ranges do not contain.
      address = bareAddress(hops[hops.length - 1 - hop].trim());
    return address;
  }

  /** Without the warning, operators would not notice that all visitors share the proxy's limits. */
  #warn(address: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < warnEveryMs) return;
    this.#warnedAt = now;
    this.#terms.onUntrusted(address);
  }
}
