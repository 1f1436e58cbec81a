import type { StreamName } from "../../log/log.ts";
import { isInside, noDeliveries } from "./delivery-handlers.ts";
import { Outbox, type OutboxDeps } from "./outbox.ts";

/** Runs an outbox while this node is the one that delivers. Each run starts with the undelivered messages in the log. */
export class Deliveries {
  readonly #deps: OutboxDeps;
  readonly counts = noDeliveries();
  #isOnDuty = false;
  #outbox: Outbox | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(parts: Omit<OutboxDeps, "counts">) {
    this.#deps = { ...parts, counts: this.counts };
  }

  wake(): void {
    this.#outbox?.wake();
  }

  begin(): void {
    this.#isOnDuty = true;
    // Wait for the previous run to end: otherwise messages would be delivered twice.
    void this.#ended.then(() => {
      if (!this.#isOnDuty || this.#outbox) return;
      this.#outbox = new Outbox(this.#deps);
      this.#outbox.wake();
    });
  }

  end(): Promise<void> {
    this.#isOnDuty = false;
    const outbox = this.#outbox;
    this.#outbox = undefined;
    if (outbox) this.#ended = outbox.stop();
    return this.#ended;
  }

  isInside(to: StreamName): boolean {
    return isInside(this.#deps, to);
  }
}
