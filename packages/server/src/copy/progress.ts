import type { Totals } from "./ends.ts";

/** On a terminal, progress is one line that is updated; elsewhere, a line from time to time. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** Width in characters. */
  readonly columns?: number | undefined;
}

type Phase = "copying" | "verifying";

const lineEveryMs = 5_000;
const changeEveryMs = 100;

/** A copy processes all entries twice: it writes them and reads them back. */
export class Progress {
  readonly #out: Output;
  readonly #elapsed: () => number;
  readonly #totals: Totals;
  readonly #startedAt: number;
  #phase: Phase | undefined;
  #shownAt = 0;
  #width = 0;

  constructor(totals: Totals, out: Output, elapsed: () => number) {
    this.#totals = totals;
    this.#out = out;
    this.#elapsed = elapsed;
    this.#startedAt = elapsed();
  }

  report(phase: Phase, done: Totals): void {
    const now = this.#elapsed();
    const everyMs = this.#out.isTTY ? changeEveryMs : lineEveryMs;
    if (phase === this.#phase && now - this.#shownAt < everyMs) return;
    this.#phase = phase;
    this.#shownAt = now;
    this.#show(this.#lineOf(phase, done, now - this.#startedAt));
  }

  /** Makes further output start on a new line. */
  end(): void {
    if (this.#width > 0) this.#out.write("\n");
    this.#width = 0;
  }

  #show(line: string): void {
    if (!this.#out.isTTY) {
      this.#out.write(`${line}\n`);
      return;
    }
    // A line that wraps could not be overwritten.
    const shown = line.slice(0, (this.#out.columns ?? 200) - 1);
    this.#out.write(`\r${shown.padEnd(this.#width)}`);
    this.#width = shown.length;
  }

  #lineOf(phase: Phase, { streams, entries, bytes }: Totals, elapsedMs: number): string {
    const totals = this.#totals;
    const share = totals.bytes === 0 ? 1 : Math.min(1, bytes / totals.bytes);
    const overall = (phase === "copying" ? share : 1 + share) / 2;
    const left = overall === 0 ? "" : `, about ${inWords((elapsedMs / overall) * (1 - overall))} left`;
    return (
      `${phase}: ${inFigures(streams)} of ${inFigures(totals.streams)} streams, ` +
      `${inFigures(entries)} of ${inFigures(totals.entries)} entries, ` +
      `${megabytes(bytes)} of ${megabytes(totals.bytes)} MB, ${Math.floor(overall * 100)} %${left}`
    );
  }
}

export function inFigures(number: number): string {
  return number.toLocaleString("en");
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
