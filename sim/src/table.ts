import { type FaultKind, faultKinds, noFaults } from "./faults.ts";
import type { Report } from "./run.ts";

/** The figures to sum, in printing order. */
const figures = {
  steps: "steps",
  entries: "entries checked",
  queueEntries: "  of them in queues",
  arenaEntries: "  of them in arenas",
  ladderEntries: "  of them in ladders",
  chatEntries: "  of them in chat",
  admissions: "admissions from lines",
  silentEnds: "places ended by silence",
  absences: "places away for a while",
  returns: "  that came back",
  matches: "matches",
  draws: "  without a winner",
  forfeits: "  forfeited by absence",
  timeouts: "  ended by the clock",
  reports: "  reported by a service",
  moves: "moves",
  restartedClocks: "move clocks restarted",
  ladderMatches: "matches counted on ladders",
  deliveries: "  delivered by arenas and duels",
  redeliveries: "delivered again, counted once",
  voids: "matches voided, others recounted",
  lapses: "matches lapsed unconfirmed",
  messages: "messages",
  brought: "  delivered, with identical replies",
  names: "nicknames taken",
  duels: "duels",
  duelsOff: "duels dropped",
  sent: "sent to people",
  sentAgain: "  again",
  setAside: "  set aside",
  resent: "  and sent again by an operator",
  answers: "answers checked",
  feedMessages: "feed messages checked",
} as const satisfies Partial<Record<keyof Report, string>>;
type Figure = keyof typeof figures;

/** Sums over many seeds. */
export class Totals {
  seeds = 0;
  readonly #sums = new Map<Figure, number>();
  readonly #faults = noFaults();
  readonly failed: Report[] = [];

  add(report: Report): void {
    this.seeds++;
    for (const figure of Object.keys(figures) as Figure[])
      this.#sums.set(figure, (this.#sums.get(figure) ?? 0) + report[figure]);
    for (const kind of Object.keys(faultKinds) as FaultKind[]) this.#faults[kind] += report.faults[kind];
    if (report.broken) this.failed.push(report);
  }

  /** Lines of a table: labels on the left, figures on the right. */
  table(seconds: number): string[] {
    const row = (what: string, figure: string) => `  ${what.padEnd(34)}${figure.padStart(14)}`;
    const count = (what: string, figure: number) => row(what, figure.toLocaleString("en-US"));
    return [
      count("seeds", this.seeds),
      ...Object.entries(figures).map(([figure, name]) => count(name, this.#sums.get(figure as Figure) ?? 0)),
      "  injected faults",
      ...Object.entries(faultKinds).map(([kind, name]) =>
        count(`  ${name}`, this.#faults[kind as FaultKind]),
      ),
      row("time", `${seconds.toFixed(1)} s`),
      count("seeds that broke a rule", this.failed.length),
    ];
  }
}
