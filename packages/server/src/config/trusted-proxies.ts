import { AddressRanges } from "./address-ranges.ts";

/** Whether the proxy at this address, that many hops away, may say where a request came from. */
export type TrustsProxy = (address: string, hop: number) => boolean;

const hopsMax = 16;

/** What the setting `trustProxy` means; undefined when it means nothing. */
export function trustedProxies(text: string): TrustsProxy | undefined {
  if (text === "false") return () => false;
  const hops = text === "true" ? 1 : /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  if (hops !== undefined) return hops >= 1 && hops <= hopsMax ? (_, hop) => hop < hops : undefined;
  const ranges = AddressRanges.parse(text);
  return ranges && ((address) => ranges.has(address));
}
