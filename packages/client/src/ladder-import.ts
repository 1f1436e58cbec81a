import type { LadderImport } from "@openseat/protocol";
import type { Clock } from "./platform.ts";

type Progress = LadderImport["import"];

/** Poll often at first, because short imports finish at once; slow down for long ones. */
const firstLookMs = 100;
const lookMsMax = 2_000;

/** Polls an import until every row counts. Rows compete with other commands, so it can take minutes. */
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
