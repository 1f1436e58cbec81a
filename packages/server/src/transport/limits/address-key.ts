/** A proxy may send any text instead of an address. */
const textLengthMax = 64;

/** An address without port, brackets and zone, with IPv4-mapped IPv6 as IPv4. A client must not count as several. */
export function bareAddress(text: string): string {
  if (!text.includes(":")) return text;
  const [, bracketed] = /^\[([^\]]*)\]/.exec(text) ?? [];
  const bare = (bracketed ?? text).replace(/%.*$/, "");
  const [, ipv4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bare) ?? [];
  return ipv4 ?? mappedIpv4(bare) ?? bare;
}

/** The key for limits per address. An IPv6 network counts as one address, because its owner can use 2^64 of them. */
export function addressKey(address: string, ipv6PrefixBits: number): string {
  const bare = bareAddress(address);
  const groups = bare.includes(":") ? groupsOf(bare) : undefined;
  if (!groups) return bare.slice(0, textLengthMax);
  const kept = groups.map((group, index) => {
    const bits = Math.min(16, Math.max(0, ipv6PrefixBits - 16 * index));
    return (group & (0xffff << (16 - bits)) & 0xffff).toString(16);
  });
  const shown = kept.slice(0, Math.ceil(ipv6PrefixBits / 16));
  return `${shown.join(":")}${shown.length < 8 ? "::" : ""}/${ipv6PrefixBits}`;
}

/** Other spellings of an IPv4-mapped address, such as ::ffff:7f00:1. */
function mappedIpv4(address: string): string | undefined {
  if (!/ffff:/i.test(address)) return undefined;
  const groups = groupsOf(address);
  if (!groups) return undefined;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped
    ? groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 0xff])
        .join(".")
    : undefined;
}

/** The eight groups of an IPv6 address; undefined for other text. */
function groupsOf(address: string): readonly number[] | undefined {
  const halves = withoutDots(address).split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = tail === undefined ? head : [...head, ...Array<string>(missing).fill("0"), ...tail];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

/** The last four bytes may be written as in IPv4. */
function withoutDots(address: string): string {
  return address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}
