import type { Clock, Timer } from "../../clock.ts";

const sampleMs = 20;
/** A single long task or garbage collection does not mean overload: only this many late samples in a row do. */
export const samplesInRow = 4;

/**
 * How late the event loop is because of its own work. It is also late while the machine runs other processes, where refusing work
 * would not help. So a delay counts only up to the processor time that was used.
 */
export class EventLoopDelay {
  readonly #clock: Clock;
  readonly #cpuMs: () => number;
  readonly #samples: number[] = [];
  #timer: Timer | undefined;
  /** The minimum of the latest samples; 0 while there are too few. */
  ms = 0;

  constructor(clock: Clock, cpuMs = threadCpuMs) {
    this.#clock = clock;
    this.#cpuMs = cpuMs;
  }

  start(onSample: () => void): void {
    const dueAt = this.#clock.elapsed() + sampleMs;
    const cpuBefore = this.#cpuMs();
    this.#timer = this.#clock.after(sampleMs, () => {
      const lateMs = Math.max(0, this.#clock.elapsed() - dueAt);
      this.#samples.push(Math.min(lateMs, this.#cpuMs() - cpuBefore));
      if (this.#samples.length > samplesInRow) this.#samples.shift();
      if (this.#samples.length === samplesInRow) this.ms = Math.min(...this.#samples);
      this.start(onSample);
      onSample();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
