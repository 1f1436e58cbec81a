import type { LadderImport } from "@openseat/protocol";
import type { Clock } from "./platform.ts";

type Progress = LadderImport["import"];

/** A short import is over at once; a long one is not asked after more than this often. */
const firstLookMs = 100;
const lookMsMax = 2_000;

/** Asks how far an import is until all of it counts. A row takes its turn among what others do, so it can take minutes. */
export async function followImport(
  begun: LadderImport,
  look: () => Promise<LadderImport>,
  onProgress: (progress: Progress) => void,
  clock: Clock,
): Promise<Progress> {
  let { import: progress } = begun;
  let lookMs = firstLookMs;
  onProgress(progress);
  while (progress.status !== "done") {
    await new Promise<void>((resolve) => void clock.after(lookMs, resolve));
    lookMs = Math.min(lookMsMax, lookMs * 2);
    const next = (await look()).import;
    if (next.done !== progress.done || next.status !== progress.status) onProgress(next);
    progress = next;
  }
  return progress;
}
