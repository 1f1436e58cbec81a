import { Worker } from "node:worker_threads";
import type { Refusal } from "@openseat/kernel";
import type { Clock, Timer } from "../../../clock.ts";
import type { ImportFile, ImportRead } from "./import-worker.ts";

const readingMsMax = 20_000;
const memoryMegabytesMax = 256;
/** How long the thread stays when there is nothing to read: its memory is worth more than a quick start. */
const idleMsMax = 60_000;

interface Pending {
  readonly file: ImportFile;
  resolve(read: ImportRead): void;
  reject(error: Error): void;
}

/**
 * Reads files for imports in a thread of its own, one after the other. The thread is started when there is something to read.
 * A file that takes too long, or more memory than there is for it, is refused, and the next one gets a new thread.
 */
export class ImportReader {
  readonly #clock: Pick<Clock, "after">;
  readonly #program: URL;
  readonly #waiting: Pending[] = [];
  #thread: Worker | undefined;
  #reading: Pending | undefined;
  #timer: Timer | undefined;

  constructor(clock: Pick<Clock, "after">, program = new URL("./import-worker.ts", import.meta.url)) {
    this.#clock = clock;
    this.#program = program;
  }

  /** The bytes of the file are handed over: nobody else can use them any more. */
  read(file: ImportFile): Promise<ImportRead> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ file, resolve, reject });
      if (!this.#reading) this.#next();
    });
  }

  close(): void {
    this.#dismiss();
    const closed = new Error("The server stopped before the file was read.");
    for (const { reject } of [...(this.#reading ? [this.#reading] : []), ...this.#waiting.splice(0)])
      reject(closed);
    this.#reading = undefined;
  }

  #next(): void {
    this.#timer?.cancel();
    this.#reading = this.#waiting.shift();
    if (!this.#reading) {
      this.#timer = this.#clock.after(idleMsMax, () => this.#dismiss());
      return;
    }
    try {
      this.#thread ??= this.#start();
      const { file } = this.#reading;
      this.#thread.postMessage(file, [file.bytes.buffer]);
    } catch (error) {
      // A machine without memory or threads must not leave the next file waiting for ever.
      this.#give(({ reject }) => reject(error as Error));
      return;
    }
    this.#timer = this.#clock.after(readingMsMax, () => this.#give((pending) => pending.resolve(tooSlow)));
  }

  #start(): Worker {
    const thread = new Worker(this.#program, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
    });
    thread.unref();
    const lose = (answer: (pending: Pending) => void) => {
      if (thread === this.#thread) this.#give(answer);
    };
    thread.on("message", (read: ImportRead) => {
      if (thread !== this.#thread) return;
      this.#reading!.resolve(read);
      this.#next();
    });
    thread.on("error", (error: NodeJS.ErrnoException) =>
      lose(({ resolve, reject }) =>
        error.code === "ERR_WORKER_OUT_OF_MEMORY" ? resolve(tooLarge) : reject(error),
      ),
    );
    thread.on("exit", () =>
      lose(({ reject }) => reject(new Error("The thread that reads imports has ended."))),
    );
    return thread;
  }

  /** Discards the thread and settles the pending read. */
  #give(answer: (pending: Pending) => void): void {
    this.#dismiss();
    if (this.#reading) answer(this.#reading);
    this.#next();
  }

  #dismiss(): void {
    this.#timer?.cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
  }
}

const unreadable = (message: string): { refusal: Refusal } => ({
  refusal: { code: "import.invalid", message },
});
const tooSlow = unreadable("The file took too long to read. Please send it in smaller parts.");
const tooLarge = unreadable("The file takes too much memory to read. Please send it in smaller parts.");
