import type { HttpLoad } from "../http-load.ts";
import { RequestBook } from "../request-book.ts";
import type { Contender } from "../slices.ts";
import type { Reports } from "./reports.ts";

const spare = 1.5;

/** Slices of match reports to one server at full speed. */
export type Reporting = Contender & {
  /**
   * Answered matches, including those answered after the end of a slice, because the database contains them too.
   */
  acknowledged(): number;
};

export function reportingContender(settings: {
  readonly name: string;
  readonly pid: number;
  readonly load: HttpLoad;
  readonly reports: Reports;
  readonly sliceMs: number;
  /** Estimated reports per second for the first slice. */
  readonly firstGuessPerSecond: number;
  readonly logCounters?: NonNullable<Contender["logCounters"]>;
}): Reporting {
  const { name, pid, load, reports, sliceMs, firstGuessPerSecond, logCounters } = settings;
  const book = new RequestBook();
  let perSecond = firstGuessPerSecond;
  let acknowledged = 0;
  return {
    name,
    pid,
    prepare() {
      book.clear();
      reports.addTo(book, Math.ceil((perSecond * spare * sliceMs) / 1000));
    },
    async run() {
      const result = await load.saturate(book, sliceMs, () => {
        acknowledged++;
      });
      perSecond = Math.max(perSecond, (result.answered * 1000) / result.elapsedMs);
      return result;
    },
    acknowledged: () => acknowledged,
    ...(logCounters && { logCounters }),
  };
}
