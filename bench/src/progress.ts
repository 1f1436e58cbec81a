const barCells = 24;
const columnsUsual = 80;
const plainEveryMs = 10_000;

/** Shows the current measurement and the progress on stderr: a bar on a terminal, otherwise a few plain lines. */
export class Progress {
  readonly #steps: number;
  readonly #output: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  #done = 0;
  #scenario = "";
  #plainAt = Number.NEGATIVE_INFINITY;

  constructor(steps: number, output: NodeJS.WriteStream) {
    this.#steps = steps;
    this.#output = output;
  }

  /** Starts a new part of the run. */
  begin(scenario: string): void {
    this.#scenario = scenario;
    this.#plainAt = Number.NEGATIVE_INFINITY;
    this.show("starting");
  }

  show(what: string): void {
    const share = Math.min(1, this.#done / this.#steps);
    const percent = `${Math.round(100 * share)} %`.padStart(5);
    const now = performance.now();
    const seconds = `${Math.round((now - this.#startedAt) / 1000)} s`;
    if (this.#output.isTTY) {
      const full = Math.round(barCells * share);
      const bar = "█".repeat(full) + "░".repeat(barCells - full);
      const line = `${bar} ${percent}  ${this.#scenario}: ${what} (${seconds})`;
      this.#output.write(`\r\x1b[2K${line.slice(0, (this.#output.columns || columnsUsual) - 1)}`);
    } else if (now - this.#plainAt >= plainEveryMs) {
      this.#plainAt = now;
      this.#output.write(`${percent}  ${this.#scenario}: ${what} (${seconds})\n`);
    }
  }

  step(steps = 1): void {
    this.#done += steps;
  }

  end(): void {
    if (this.#output.isTTY) this.#output.write("\r\x1b[2K");
  }
}
