import { readFileSync } from "node:fs";

const kilobyte = 1024;

/** Bytes of memory that a process uses now, and used at most; NaN on systems without /proc. */
export function residentBytes(pid: number): { readonly now: number; readonly atMost: number } {
  let text = "";
  try {
    text = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // Systems without /proc have no figures.
  }
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN) * kilobyte;
  return { now: field("VmRSS"), atMost: field("VmHWM") };
}
