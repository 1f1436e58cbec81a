import { Worker } from "node:worker_threads";
import type { Refusal } from "@openseat/kernel";
import type { Clock, Timer } from "../../../clock.ts";
import type { ImportFile, ImportRead } from "./import-worker.ts";

const readingMsMax = 20_000;
const memoryMegabytesMax = 256;
/** An idle thread ends after this time, to free its memory. */
const idleMsMax = 60_000;

interface Pending {
  readonly file: ImportFile;
  resolve(read: ImportRead): void;
  reject(error: Error): void;
}

/** Reads files in a thread, one after the other. After a file that takes too much time or memory, the next one gets a new thread. */
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

  /** The bytes are transferred: the caller cannot use them any more. */
  read(file: ImportFile): Promise<ImportRead> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ file, resolve, reject });
      if (!this.#reading) this.#next();
    });
  }

  close(): void {
    this.#dismiss();
    const closed = new Error("The server stopped before the file was read.");
    this.#reading?.reject(closed);
    for (const { reject } of this.#waiting.splice(0)) reject(closed);
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
      // If no thread can be started, reject the file: otherwise the next one would wait forever.
      this.#give(({ reject }) => reject(error as Error));
      return;
    }
    this.#timer = this.#clock.after(readingMsMax, () => this.#give((pending) => pending.resolve(tooSlow)));
  }

  #start(): Worker {
    const thread = new Worker(this.#program, {
      // Flags of a program that contains the server, such as --input-type, would keep the thread from starting.
      execArgv: [],
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
    const ended = new Error("The thread that reads imports has ended.");
    thread.on("exit", () => lose(({ reject }) => reject(ended)));
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
