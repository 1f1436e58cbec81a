import { AddressRanges } from "./address-ranges.ts";

/** Whether to trust what the proxy at this address, at this number of hops, says about a request's origin. */
export type TrustsProxy = (address: string, hop: number) => boolean;

const hopsMax = 16;

/** Parses the setting `trustProxy`; undefined if it is invalid. */
export function trustedProxies(text: string): TrustsProxy | undefined {
  if (text === "false") return () => false;
  const hops = text === "true" ? 1 : /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  if (hops !== undefined) return hops >= 1 && hops <= hopsMax ? (_, hop) => hop < hops : undefined;
  const ranges = AddressRanges.parse(text);
  return ranges && ((address) => ranges.has(address));
}
