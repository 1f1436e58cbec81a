import { fixedText, wholeText } from "../formats.ts";
import type { Attack } from "./attack.ts";
import type { Measured, Memory } from "./measuring/measurements.ts";

export const megabyte = 1024 * 1024;

export const p99MsMax = 250;
export const goodputRatioMin = 0.9;
/**
 * Memory is flat when two things hold. The peak is at most 256 MB above the level before: a busy server holds that much for a moment in
 * garbage and in answers under way, and machines with 1 GB have it to spare. And it does not go on growing: it stands still in the
 * last third of the attack, or half of it is given back afterwards. A longer attack would otherwise take everything.
 */
const growthBytesMax = 256 * megabyte;
const lateGrowthBytesMax = 32 * megabyte;
/** Polite people and the log's own files take a few megabytes; one person who is not held back takes five per second. */
const onePersonDiskBytesMax = 16 * megabyte;
const failuresToldMax = 3;

/** What counts when an attack is judged. */
export type Terms = Pick<Attack, "keptBytesEach" | "isOnePerson">;

/** In what the attack succeeded; empty when the server withstood it. */
export function shortcomingsOf(measured: Measured, terms: Terms): string[] {
  return [
    ...deathOf(measured),
    ...slownessOf(measured),
    ...failuresOf(measured),
    ...growthOf(measured, terms),
    ...diskUseOf(measured, terms),
    ...collapseOf(measured),
    ...refusedOf(measured),
  ];
}

function deathOf({ isAlive, death }: Measured): string[] {
  return isAlive ? [] : [`The server died: ${death}`];
}

function slownessOf({ latency: { during } }: Measured): string[] {
  if (during.requests === 0) return ["No polite request was answered during the attack."];
  return during.p99Ms <= p99MsMax
    ? []
    : [`p99 during the attack is ${wholeText(during.p99Ms)} ms, more than ${p99MsMax} ms.`];
}

function failuresOf({ failures }: Measured): string[] {
  if (failures.length === 0) return [];
  const kinds = new Map<string, number>();
  for (const { what, failure } of failures) {
    const kind = `${what}: ${failure}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const told = [...kinds].slice(0, failuresToldMax).map(([kind, times]) => `${times} × ${kind}`);
  return [`${wholeText(failures.length)} polite requests failed: ${told.join("; ")}`];
}

function growthOf({ memory, report }: Measured, { keptBytesEach = 0 }: Terms): string[] {
  const keptBytes = keptBytesEach * (report.counts["201"] ?? 0);
  return isFlat(memory, keptBytes)
    ? []
    : [
        `Memory is not flat: ${megabytes(memory.beforeBytes)} before, ${megabytes(memory.peakBytes)} at its peak, ` +
          `${megabytes(memory.afterBytes)} after, ${megabytes(memory.lateGrowthBytes)} more in the last third of the attack.`,
      ];
}

/** `keptBytes` is what the server rightly keeps of all that it was sent. */
export function isFlat(memory: Memory, keptBytes: number): boolean {
  const { beforeBytes, peakBytes, afterBytes, lateGrowthBytes } = memory;
  // On systems without /proc nothing is known, and nothing is judged.
  if (Number.isNaN(beforeBytes)) return true;
  const growth = peakBytes - beforeBytes - keptBytes;
  const isGivenBack = afterBytes - beforeBytes - keptBytes <= growth / 2;
  return growth <= growthBytesMax && (lateGrowthBytes - keptBytes / 3 <= lateGrowthBytesMax || isGivenBack);
}

function diskUseOf({ diskGrowthBytes }: Measured, { isOnePerson }: Terms): string[] {
  return isOnePerson && diskGrowthBytes > onePersonDiskBytesMax
    ? [`One person's doings take ${megabytes(diskGrowthBytes)} on the disk.`]
    : [];
}

function collapseOf({ goodput }: Measured): string[] {
  if (goodput === undefined) return [];
  const ratio = goodput.overloadPerSecond / goodput.peakPerSecond;
  return ratio >= goodputRatioMin
    ? []
    : [
        `Goodput at three times the capacity is ${fixedText(ratio, 2)} of the peak: ` +
          `${wholeText(goodput.overloadPerSecond)} of ${wholeText(goodput.peakPerSecond)} per second.`,
      ];
}

function refusedOf({ report: { counts, refused } }: Measured): string[] {
  const total = counts.refused ?? 0;
  return total === 0 ? [] : [`${wholeText(total)} honest requests were refused: ${refused.join("; ")}`];
}

function megabytes(bytes: number): string {
  return `${wholeText(bytes / megabyte)} MB`;
}
