import { residentBytes } from "../../resident-memory.ts";
import type { Stage } from "../stage/stage.ts";
import { nowMs } from "./timeline.ts";

const everyMs = 100;
/** A server that has grown so far is ended before it takes the machine down. */
const bytesMax = 6 * 1024 ** 3;

export type MemorySample = { readonly atMs: number; readonly bytes: number };

/** Looks at the memory of the server ten times a second. */
export class MemoryWatch {
  readonly samples: MemorySample[] = [];
  /** Whether the server had to be ended because it took too much. */
  hasKilled = false;
  readonly #timer: NodeJS.Timeout;

  constructor(stage: Stage) {
    const look = (): void => {
      const bytes = residentBytes(stage.server.pid).now;
      if (!stage.isAlive || Number.isNaN(bytes)) return;
      this.samples.push({ atMs: nowMs(), bytes });
      if (bytes <= bytesMax || this.hasKilled) return;
      this.hasKilled = true;
      void stage.server.stop("SIGKILL");
    };
    this.#timer = setInterval(look, everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
