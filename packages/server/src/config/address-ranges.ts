import { BlockList, isIP } from "node:net";

/** A list of addresses and ranges, such as `10.0.0.0/8, 192.168.1.7, 2001:db8::/32`. */
export class AddressRanges {
  readonly #list = new BlockList();
  readonly #ipv6PrefixBitsMax: number;

  private constructor(ipv6PrefixBitsMax: number) {
    this.#ipv6PrefixBitsMax = ipv6PrefixBitsMax;
  }

  /** Undefined if an item is neither an address nor a range. IPv6 ranges narrower than `ipv6PrefixBitsMax` are widened to it. */
  static parse(text: string, ipv6PrefixBitsMax = 128): AddressRanges | undefined {
    const ranges = new AddressRanges(ipv6PrefixBitsMax);
    const items = text.split(",").map((item) => item.trim());
    return items.every((item) => ranges.#add(item)) ? ranges : undefined;
  }

  #add(item: string): boolean {
    const [, address, bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
    const version = isIP(address ?? "");
    if (version === 0) return false;
    const [family, bitsMax] = version === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
    const prefix = bits === undefined ? bitsMax : Number(bits);
    if (prefix > bitsMax) return false;
    this.#list.addSubnet(address, version === 4 ? prefix : Math.min(prefix, this.#ipv6PrefixBitsMax), family);
    return true;
  }

  /** IPv4 addresses that a dual-stack socket shows as IPv6 count as IPv4 addresses. */
  has(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const version = isIP(plain);
    return version !== 0 && this.#list.check(plain, version === 4 ? "ipv4" : "ipv6");
  }
}
