import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { answerTimeoutMs, LoadError } from "../load.ts";

const lookMs = 2;

/** Watches a running server's database for undelivered messages. */
export class OutboxWatch {
  readonly #database: DatabaseSync;
  readonly #waiting: ReturnType<DatabaseSync["prepare"]>;

  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
    this.#waiting = this.#database.prepare("SELECT count(*) AS count FROM outbox WHERE failure IS NULL");
  }

  /** Resolves when everything has arrived. */
  async untilEmpty(): Promise<void> {
    const startedAt = performance.now();
    for (let waiting = this.#count; waiting > 0; waiting = this.#count) {
      if (performance.now() - startedAt > answerTimeoutMs)
        throw new LoadError(
          `After ${answerTimeoutMs / 1000} s there are still ${waiting} messages in the outbox.`,
        );
      await sleep(lookMs);
    }
  }

  get #count(): number {
    return (this.#waiting.get() as { count: number }).count;
  }

  close(): void {
    this.#database.close();
  }
}
