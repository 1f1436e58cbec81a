import { ClientAddresses } from "../../src/transport/limits/client-addresses.ts";

/** Addresses behind one trusted proxy, or none. */
export function testAddresses(trustProxy = false): ClientAddresses {
  return new ClientAddresses({
    trusts: (_, hop) => trustProxy && hop === 0,
    ipv6PrefixBits: 64,
    onUntrusted() {},
  });
}
