import { once } from "node:events";
import { Child } from "./children.ts";
import { medianOf } from "./findings.ts";
import { fixedText, wholeText } from "./formats.ts";
import type { KernelCost } from "./kernel-cost.ts";
import type { Side } from "./slices.ts";
import type { Spread } from "./statistics.ts";

/** Kernel costs measured by a program, for a small and a large size. */
export async function kernelCosts<Report>(program: string, order: object): Promise<Report> {
  const child = new Child(program, { channel: true });
  try {
    child.process.send(order);
    const [report] = await Promise.race([
      once(child.process, "message"),
      once(child.process, "exit").then(() => Promise.reject(new Error(child.output))),
    ]);
    return report as Report;
  } finally {
    await child.stop("SIGTERM");
  }
}

export function usEach(side: Side): number {
  return medianOf(side, (slice) => 1e6 / slice.perSecond);
}

export function spreadText({ median, lower, upper }: Spread): string {
  return `${fixedText(median, 2)} ×, quartiles ${fixedText(lower, 2)}–${fixedText(upper, 2)}`;
}

export function costText({ smallNs, largeNs, times }: KernelCost): string {
  return `${wholeText(smallNs)} and ${wholeText(largeNs)} ns (${fixedText(times.median, 2)} ×)`;
}
