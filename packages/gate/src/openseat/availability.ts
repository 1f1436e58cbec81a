import type { GateContext } from "../visit/request.ts";
import { GateMisconfigured, OpenseatBusy, type Reports } from "./failures.ts";
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
  /** How many calls have succeeded. */
  #confirmed = 0;

  constructor(probe: () => Promise<void>, deps: AvailabilityDeps) {
    this.#probe = probe;
    this.#deps = deps;
    this.#probing = new Shared(() => this.#look(), deps.runtime);
  }

  /** Whether the last two probes failed. Asks nothing. */
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
    this.#confirmed++;
    this.#state = "here";
    this.#knownAt = this.#deps.runtime.now();
  }

  /** A call has failed. One call is no proof, because a single slow answer must not open or close the site. */
  doubt(error: Error): void {
    this.#deps.reports.report(error);
    if (this.#state === "here") this.#state = "unknown";
  }

  async #look(): Promise<void> {
    const { runtime } = this.#deps;
    const [begun, confirmed] = [runtime.now(), this.#confirmed];
    const isConfirmed = () => this.#confirmed > confirmed;
    let answers = await this.#answers();
    // One failed probe must not open or close the site: Openseat may be restarting.
    if (!answers && !isConfirmed() && !this.seemsAway) {
      await runtime.pause(begun + freshMs - runtime.now());
      answers = isConfirmed() || (await this.#answers());
    }
    // A call that succeeded meanwhile knows better than a failed probe.
    if (!answers && isConfirmed()) return;
    this.#state = answers ? "here" : "away";
    this.#knownAt = runtime.now();
  }

  /** Also if it refuses: visitors can at least read the waiting page's own message. */
  async #answers(): Promise<boolean> {
    try {
      await this.#probe();
      return true;
    } catch (error) {
      this.#deps.reports.report(error as Error);
      return error instanceof GateMisconfigured || error instanceof OpenseatBusy;
    }
  }
}
