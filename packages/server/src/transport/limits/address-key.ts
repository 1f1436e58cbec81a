/** Whatever a proxy writes instead of an address is cut off here, so that keys stay small. */
const textLengthMax = 64;

/**
 * What limits per address count by. An IPv6 network is one address: its owner can use 2^64 of them. A port or an IPv4
 * address in IPv6 form must not turn one client into several.
 */
export function addressKey(address: string, ipv6PrefixBits: number): string {
  if (!address.includes(":")) return address.slice(0, textLengthMax);
  const [, bracketed] = /^\[([^\]]*)\]/.exec(address) ?? [];
  const bare = (bracketed ?? address).replace(/%.*$/, "");
  const [, ipv4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bare) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const groups = groupsOf(bare);
  if (!groups) return address.slice(0, textLengthMax);
  const kept = groups.map((group, index) => {
    const bits = Math.min(16, Math.max(0, ipv6PrefixBits - 16 * index));
    return (group & (0xffff << (16 - bits)) & 0xffff).toString(16);
  });
  return `${kept.slice(0, Math.ceil(ipv6PrefixBits / 16)).join(":")}::/${ipv6PrefixBits}`;
}

/** The eight groups of an IPv6 address; undefined when it is none. */
function groupsOf(address: string): readonly number[] | undefined {
  const halves = address.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = tail === undefined ? head : [...head, ...Array<string>(missing).fill("0"), ...tail];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}
