import { cpuUsEach } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import { latencyOf, ratesOf, type Side } from "../slices.ts";
import { median } from "../statistics.ts";

/** The result of one side as text. */
export function sideText(side: Side): string {
  const ms = (share: number): string => fixedText(latencyOf(side).percentileUs(share) / 1000, 1);
  return (
    `${wholeText(median(ratesOf(side)))}/s (p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms, ` +
    `${fixedText(median(cpuUsEach(side)), 0)} µs of processor time each)`
  );
}
