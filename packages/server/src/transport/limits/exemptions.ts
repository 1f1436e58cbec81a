import type { Identity } from "../../app/identity.ts";
import { AddressRanges } from "../../config/address-ranges.ts";
import type { Config } from "../../config/settings.ts";

export type IsExempt = (identity: Identity | null, address: string) => boolean;

/** LM3: services, operators and listed addresses. */
export function exemptions({
  exemptAddresses,
  ipv6PrefixBits,
}: Pick<Config, "exemptAddresses" | "ipv6PrefixBits">): IsExempt {
  const listed =
    exemptAddresses === undefined ? undefined : AddressRanges.parse(exemptAddresses, ipv6PrefixBits);
  return (identity, address) =>
    (identity !== null && identity.role !== "person") || (listed?.has(networkOf(address)) ?? false);
}

/** The key of an IPv6 network is its first address, with the length of the prefix. */
function networkOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? key : key.slice(0, slash);
}
