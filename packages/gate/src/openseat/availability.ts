import type { GateContext } from "../visit/request.ts";
import { GateMisconfigured, type Reports } from "./failures.ts";
import { type Background, type Runtime, Shared } from "./runtime.ts";

/** What is known is trusted for this long. */
const freshMs = 2_000;

interface AvailabilityDeps {
  readonly runtime: Runtime;
  readonly background: Background;
  readonly reports: Reports;
}

/** Whether Openseat answers. New visitors are asked about before they are sent there. */
export class Availability {
  readonly #probe: () => Promise<void>;
  readonly #deps: AvailabilityDeps;
  readonly #probing: Shared<void>;
  #state: "unknown" | "here" | "away" = "unknown";
  #knownAt = 0;

  constructor(probe: () => Promise<void>, deps: AvailabilityDeps) {
    this.#probe = probe;
    this.#deps = deps;
    this.#probing = new Shared(() => this.#look(), deps.runtime);
  }

  /** Whether the last probe failed. Asks nothing. */
  get seemsAway(): boolean {
    return this.#state === "away";
  }

  async isAway(context: GateContext): Promise<boolean> {
    const isFresh = this.#state !== "unknown" && this.#deps.runtime.now() - this.#knownAt < freshMs;
    if (!isFresh) {
      // While Openseat hangs, visitors must not each wait for the timeout.
      if (this.seemsAway) await this.#deps.background.run(context, this.#probing.run());
      else await this.#probing.run();
    }
    return this.seemsAway;
  }

  /** A call has succeeded. */
  confirm(): void {
    this.#state = "here";
    this.#knownAt = this.#deps.runtime.now();
  }

  /** A call has failed. One call is no proof, because a single slow answer must not open or close the site. */
  doubt(error: Error): void {
    this.#deps.reports.report(error);
    if (this.#state === "here") this.#state = "unknown";
  }

  async #look(): Promise<void> {
    let state: "here" | "away" = "here";
    try {
      await this.#probe();
    } catch (error) {
      this.#deps.reports.report(error as Error);
      // It answers. Visitors can at least read the waiting page's own message.
      if (!(error instanceof GateMisconfigured)) state = "away";
    }
    this.#state = state;
    this.#knownAt = this.#deps.runtime.now();
  }
}
