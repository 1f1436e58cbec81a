import { type FaultKind, faultKinds, noFaults } from "./faults.ts";
import type { Report } from "./run.ts";

/** What many seeds came to, added up. */
export class Totals {
  seeds = 0;
  #steps = 0;
  #entries = 0;
  #queueEntries = 0;
  #admissions = 0;
  #silentEnds = 0;
  #answers = 0;
  #feedMessages = 0;
  readonly #faults = noFaults();
  readonly failed: Report[] = [];

  add(report: Report): void {
    this.seeds++;
    this.#steps += report.steps;
    this.#entries += report.entries;
    this.#queueEntries += report.queueEntries;
    this.#admissions += report.admissions;
    this.#silentEnds += report.silentEnds;
    this.#answers += report.answers;
    this.#feedMessages += report.feedMessages;
    for (const kind of Object.keys(faultKinds) as FaultKind[]) this.#faults[kind] += report.faults[kind];
    if (report.broken) this.failed.push(report);
  }

  /** The lines of a table: words on the left, figures on the right. */
  table(seconds: number): string[] {
    const row = (what: string, figure: string) => `  ${what.padEnd(34)}${figure.padStart(14)}`;
    const count = (what: string, figure: number) => row(what, figure.toLocaleString("en-US"));
    return [
      count("seeds", this.seeds),
      count("steps", this.#steps),
      count("entries checked", this.#entries),
      count("  of them in queues", this.#queueEntries),
      count("admissions from lines", this.#admissions),
      count("places ended by silence", this.#silentEnds),
      count("answers checked", this.#answers),
      count("feed messages checked", this.#feedMessages),
      "  what went wrong, on purpose",
      ...Object.entries(faultKinds).map(([kind, name]) =>
        count(`  ${name}`, this.#faults[kind as FaultKind]),
      ),
      row("time", `${seconds.toFixed(1)} s`),
      count("seeds that broke a rule", this.failed.length),
    ];
  }
}
