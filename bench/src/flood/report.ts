import { fixedText, tableText, wholeText } from "../formats.ts";
import type { Attack } from "./attack.ts";
import { type Goodput, goodWithinMs } from "./measuring/goodput.ts";
import type { DisturbedSlices, Latency, Measured } from "./measuring/measurements.ts";
import { goodputRatioMin, megabyte, p99MsMax, shortcomingsOf } from "./verdicts.ts";

/** The result of one attack, or an error when it could not be run. */
export type AttackResult = { readonly attack: Attack } & (
  | { readonly measured: Measured }
  | { readonly error: string }
);

const head = [
  "attack",
  "before p50/p99 ms",
  "during p50/p99 ms",
  "max ms",
  "5 s after p50/p99 ms",
  "failed",
  "memory MB before/peak/after",
  "disk MB",
  "goodput",
  "",
];

export function hasPassed(result: AttackResult): boolean {
  return "measured" in result && shortcomingsOf(result.measured, result.attack).length === 0;
}

/** The whole result as text. */
export function reportText(
  results: readonly AttackResult[],
  { seconds, surroundings }: { readonly seconds: number; readonly surroundings: string },
): string {
  const table = tableText([head, ...results.map(cellsOf)]);
  const passed = results.filter(hasPassed).length;
  const bounds = `Required: p99 during ≤ ${p99MsMax} ms, no failed polite request, flat memory, a live server, goodput ≥ ${goodputRatioMin} of the peak.`;
  const details = results.map(detailsOf).join("\n");
  const end = `${passed} of ${results.length} withstood, in ${wholeText(seconds)} s; ${surroundings}`;
  return `${table}\n\n${bounds}\n\n${details}\n\n${end}\n`;
}

function cellsOf(result: AttackResult): string[] {
  const { name } = result.attack;
  if ("error" in result) return [name, ...head.slice(2).map(() => "–"), "DID NOT RUN"];
  const { latency, failures, memory, diskGrowthBytes, goodput } = result.measured;
  const megabytes = (bytes: number): string => wholeText(bytes / megabyte);
  return [
    name,
    percentiles(latency.before),
    percentiles(latency.during),
    wholeText(latency.during.maxMs),
    percentiles(latency.after),
    wholeText(failures.length),
    `${megabytes(memory.beforeBytes)} / ${megabytes(memory.peakBytes)} / ${megabytes(memory.afterBytes)}`,
    megabytes(diskGrowthBytes),
    goodput === undefined ? "" : fixedText(goodput.overloadPerSecond / goodput.peakPerSecond, 2),
    hasPassed(result) ? "ok" : "FAILED",
  ];
}

function percentiles({ p50Ms, p99Ms }: Latency): string {
  return `${fixedText(p50Ms, 1)} / ${fixedText(p99Ms, 1)}`;
}

/** The answers the attackers received, and what went wrong. */
function detailsOf(result: AttackResult): string {
  const { name, about } = result.attack;
  const title = `${name}: ${about}`;
  if ("error" in result) return `${title}\n  ${result.error}`;
  const { measured } = result;
  const { counts } = measured.report;
  const shown = Object.entries(counts).map(([what, times]) => `${wholeText(times)} × ${what}`);
  const lines = [
    `  attackers: ${shown.join(", ") || "nothing"}`,
    `  polite requests: ${wholeText(measured.requests)}; live memory grew by ${fixedText(measured.retainedGrowthBytes / megabyte, 1)} MB, memory in use by ${fixedText(measured.memory.lateGrowthBytes / megabyte, 1)} MB in the last third`,
    ...goodputLines(measured.goodput),
    ...disturbanceLines(measured.slices),
    ...shortcomingsOf(measured, result.attack).map((shortcoming) => `  FAILED: ${shortcoming}`),
  ];
  return [title, ...lines].join("\n");
}

function goodputLines(goodput: Goodput | undefined): string[] {
  if (goodput === undefined) return [];
  const { peakPerSecond, offeredPerSecond, heldBackPerSecond, overloadPerSecond } = goodput;
  return [
    `  goodput: ${wholeText(overloadPerSecond)} good answers per second within ${goodWithinMs / 1000} s, of ${wholeText(peakPerSecond)} at the peak`,
    `  offered: ${wholeText(offeredPerSecond)} requests per second (${fixedText(offeredPerSecond / peakPerSecond, 1)} times the peak); ` +
      `${wholeText(heldBackPerSecond)} of them held back because the server did not read their connections`,
  ];
}

function disturbanceLines({ replaced, counted }: DisturbedSlices): string[] {
  return [
    ...(replaced > 0 ? [`  ${replaced} disturbed slices were repeated and do not count`] : []),
    ...(counted > 0 ? [`  DISTURBED: ${counted} disturbed slices count, because no reruns were left`] : []),
  ];
}
