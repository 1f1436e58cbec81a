import type { LadderImport } from "@openseat/protocol";
import type { Clock } from "./platform.ts";

type Progress = LadderImport["import"];

/** Poll often at first, because short imports finish at once; slow down for long ones. */
const firstPollMs = 100;
const pollMsMax = 2_000;

/** Polls an import until every row counts. Rows compete with other commands, so it can take minutes. */
export async function followImport(
  begun: LadderImport,
  poll: () => Promise<LadderImport>,
  onProgress: (progress: Progress) => void,
  clock: Clock,
): Promise<Progress> {
  let { import: progress } = begun;
  let pollMs = firstPollMs;
  onProgress(progress);
  while (progress.status !== "done") {
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
    pollMs = Math.min(pollMsMax, pollMs * 2);
    const next = (await poll()).import;
    if (next.done !== progress.done || next.status !== progress.status) onProgress(next);
    progress = next;
  }
  return progress;
}
