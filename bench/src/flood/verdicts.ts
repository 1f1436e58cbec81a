import { fixedText, wholeText } from "../formats.ts";
import type { Attack } from "./attack.ts";
import type { AttackReport } from "./attackers/attacker.ts";
import { goodWithinMs, offeredTimesMin } from "./measuring/goodput.ts";
import type { Measured, Memory } from "./measuring/measurements.ts";

export const megabyte = 1024 * 1024;

export const p99MsMax = 250;
export const goodputRatioMin = 0.9;
/**
 * Memory is flat when three things hold. The bytes that the server may keep per request are added to each limit, and twice
 * as many to 1 and 2, because V8 lets a heap grow to about twice its live size before it collects the garbage.
 *
 * 1. The memory in use is at most 256 MB above the level before. A busy server briefly holds that much in garbage and
 *    answers under way, and machines with 1 GB can spare it.
 * 2. It grows by at most 32 MB from the second third of the attack to the last. Otherwise a longer attack would exhaust
 *    the machine.
 * 3. Live memory is at most 16 MB higher afterwards. This finds leaks that garbage hides from 1 and 2.
 */
const heapBytesPerKeptByte = 2;
const growthBytesMax = 256 * megabyte;
const lateGrowthBytesMax = 32 * megabyte;
const retainedGrowthBytesMax = 16 * megabyte;
/** Polite people and the log's own files take a few megabytes; one person without limits takes five per second. */
const onePersonDiskBytesMax = 16 * megabyte;
const failuresShownMax = 3;

/** The limits that an attack is judged by. */
export type Terms = Pick<Attack, "countsMax" | "countsMin" | "keptBytesEach" | "keptMax" | "isOnePerson">;

/** What the attack achieved; empty when the server withstood it. */
export function shortcomingsOf(measured: Measured, terms: Terms): string[] {
  return [
    ...absenceOf(measured.report, terms),
    ...deathOf(measured),
    ...slownessOf(measured),
    ...failuresOf(measured),
    ...evasionsOf(measured, terms),
    ...growthOf(measured, terms),
    ...diskUseOf(measured, terms),
    ...collapseOf(measured),
    ...refusedOf(measured),
  ];
}

/** Answers to attackers that never reached their target. */
const missedStatuses = new Set(["401", "403", "404", "405"]);

/** Why the attack did not take place; empty when it did. */
export function absenceOf(
  { counts, cutReason = "unknown reason" }: AttackReport,
  { countsMin = {} }: Terms,
): string[] {
  const statuses = Object.keys(counts).filter((what) => /^\d{3}$/.test(what));
  if (!counts.opened) return [`The attack did not run: its attackers could not connect (${cutReason}).`];
  return statuses.length > 0 && statuses.every((status) => missedStatuses.has(status))
    ? [`The attack did not run: all its requests were answered ${statuses.join(" or ")}.`]
    : Object.entries(countsMin)
        .filter(([what, min]) => !((counts[what] ?? 0) >= min))
        .map(
          ([what, min]) =>
            `The attack did not run in full: ${wholeText(counts[what] ?? 0)} × ${what}, not ${wholeText(min)}. Run it for longer.`,
        );
}

/** Limits that attackers got around. */
function evasionsOf({ report: { counts } }: Measured, { countsMax = {} }: Terms): string[] {
  return Object.entries(countsMax)
    .filter(([what, max]) => (counts[what] ?? 0) > max)
    .map(
      ([what, max]) =>
        `Attackers got around a limit: ${wholeText(counts[what])} × ${what}, more than ${wholeText(max)}.`,
    );
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
  const shown = [...kinds].slice(0, failuresShownMax).map(([kind, times]) => `${times} × ${kind}`);
  return [`${wholeText(failures.length)} polite requests failed: ${shown.join("; ")}`];
}

function growthOf(
  { memory, retainedGrowthBytes, report }: Measured,
  { keptBytesEach = 0, keptMax = Number.POSITIVE_INFINITY }: Terms,
): string[] {
  const keptBytes = keptBytesEach * Math.min(goodAnswersIn(report), keptMax);
  return [
    ...(isFlat(memory, heapBytesPerKeptByte * keptBytes)
      ? []
      : [
          `Memory is not flat: ${megabytes(memory.beforeBytes)} before, ${megabytes(memory.peakBytes)} at its peak, ` +
            `${megabytes(memory.afterBytes)} after, ${megabytes(memory.lateGrowthBytes)} more in the last third of the attack.`,
        ]),
    // A dead server holds no memory, and its death is reported separately.
    ...(retainedGrowthBytes - keptBytes > retainedGrowthBytesMax
      ? [`The server holds ${megabytes(retainedGrowthBytes)} more live memory after the attack than before.`]
      : []),
  ];
}

function goodAnswersIn({ counts }: AttackReport): number {
  const good = Object.entries(counts).filter(([what]) => /^2\d\d\b/.test(what));
  return good.reduce((sum, [, times]) => sum + times, 0);
}

/** `keptBytes` may be in use because the server must keep that data. */
function isFlat({ beforeBytes, peakBytes, lateGrowthBytes }: Memory, keptBytes: number): boolean {
  // Systems without /proc have no figures, so nothing is judged.
  if (Number.isNaN(beforeBytes)) return true;
  const growth = peakBytes - beforeBytes - keptBytes;
  return growth <= growthBytesMax && lateGrowthBytes - keptBytes / 3 <= lateGrowthBytesMax;
}

function diskUseOf({ diskGrowthBytes }: Measured, { isOnePerson }: Terms): string[] {
  return isOnePerson && diskGrowthBytes > onePersonDiskBytesMax
    ? [`One person's requests take ${megabytes(diskGrowthBytes)} on the disk.`]
    : [];
}

function collapseOf({ goodput }: Measured): string[] {
  if (goodput === undefined) return [];
  const { peakPerSecond, offeredPerSecond, overloadPerSecond } = goodput;
  // A server that gives more good answers under overload than at the peak has a higher capacity than the measured
  // peak.
  const times = offeredPerSecond / Math.max(peakPerSecond, overloadPerSecond);
  const ratio = overloadPerSecond / peakPerSecond;
  return [
    ...(times >= offeredTimesMin
      ? []
      : [
          `The overload did not happen: ${fixedText(times, 2)} times the capacity was offered, not ${offeredTimesMin} times.`,
        ]),
    ...(ratio >= goodputRatioMin
      ? []
      : [
          `Goodput at three times the capacity is ${fixedText(ratio, 2)} of the peak: ${wholeText(overloadPerSecond)} of ` +
            `${wholeText(peakPerSecond)} good answers per second that came within ${goodWithinMs / 1000} s.`,
        ]),
  ];
}

function refusedOf({ report: { counts, refused } }: Measured): string[] {
  const total = counts.refused ?? 0;
  return total === 0 ? [] : [`${wholeText(total)} honest requests were refused: ${refused.join("; ")}`];
}

function megabytes(bytes: number): string {
  return `${wholeText(bytes / megabyte)} MB`;
}
