import { residentBytes } from "../../resident-memory.ts";
import type { Stage } from "../stage/stage.ts";
import { nowMs } from "./timeline.ts";

const everyMs = 100;
/** A server above this size is killed before it exhausts the machine. */
const bytesMax = 6 * 1024 ** 3;

export type MemorySample = { readonly atMs: number; readonly bytes: number };

/** Samples the server's memory ten times per second. */
export class MemoryWatch {
  readonly samples: MemorySample[] = [];
  /** Whether the server was killed because of its memory. */
  hasKilled = false;
  readonly #timer: NodeJS.Timeout;

  constructor(stage: Stage) {
    const sample = (): void => {
      const bytes = residentBytes(stage.server.pid).now;
      if (!stage.isAlive || Number.isNaN(bytes)) return;
      this.samples.push({ atMs: nowMs(), bytes });
      if (bytes <= bytesMax || this.hasKilled) return;
      this.hasKilled = true;
      void stage.server.stop("SIGKILL");
    };
    this.#timer = setInterval(sample, everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
