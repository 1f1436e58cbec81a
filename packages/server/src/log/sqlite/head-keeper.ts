import { stat } from "node:fs/promises";
import { join } from "node:path";
import { LogUnavailable } from "../log.ts";
import { type LogHead, writeHead } from "./head-file.ts";

/** Half of the delay that LG8 allows. The other half is for slow disks. */
const headEveryMs = 500;

interface HeadKeeperDeps {
  readonly folder: string;
  readonly newest: () => Promise<LogHead>;
  /** Called once, until the file could be written again. */
  readonly onError: (error: Error) => void;
}

/** LG8: keeps the head file up to date. It runs outside the log's thread, so no append waits for its flush. */
export class HeadKeeper {
  readonly #deps: HeadKeeperDeps;
  #written: LogHead | undefined;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  /** The inode of the database that this head belongs to. */
  #database = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: HeadKeeperDeps) {
    this.#deps = deps;
  }

  /** Rejects if the file cannot be written: without it, a log that went back would go unnoticed. */
  async begin(): Promise<void> {
    this.#database = await this.#inode();
    await this.#write();
    this.#timer = setInterval(() => void this.#keep(), headEveryMs).unref();
  }

  async end(): Promise<void> {
    this.stop();
    await this.#writing;
    await this.#keep();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    // On a slow disk, writes must neither pile up nor overtake each other.
    if (this.#writing) return;
    this.#writing = this.#write().then(
      () => this.#note(undefined),
      (error: Error) => this.#note(error),
    );
    await this.#writing;
    this.#writing = undefined;
  }

  async #write(): Promise<void> {
    const head = await this.#deps.newest();
    if (head.batch === this.#written?.batch) return;
    // A backup replaced the folder while the server ran. With this head, no server could start on it.
    if ((await this.#inode()) !== this.#database) return;
    await writeHead(this.#deps.folder, head);
    this.#written = head;
  }

  /** Returns 0 if the file is gone. */
  async #inode(): Promise<number> {
    return stat(join(this.#deps.folder, "openseat.db")).then(
      ({ ino }) => ino,
      () => 0,
    );
  }

  #note(error: Error | undefined): void {
    if (error instanceof LogUnavailable) return;
    if (error && !this.#isFailing) this.#deps.onError(error);
    this.#isFailing = error !== undefined;
  }
}
