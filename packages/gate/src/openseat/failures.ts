/** Openseat did not answer, or not usefully. It may answer the next call. */
export class OpenseatAway extends Error {
  override readonly name: string = "OpenseatAway";
}

/** Openseat refused a call because it has too much to do or cannot store anything now. It can still show its pages. */
export class OpenseatBusy extends OpenseatAway {
  override readonly name = "OpenseatBusy";
}

/** Openseat answered that this gate is set up wrongly. Another try would not help. */
export class GateMisconfigured extends Error {
  override readonly name = "GateMisconfigured";
}

const everyMs = 60_000;
const rememberedMax = 50;

/** Reports each message at most once per minute, because during an outage every visitor would repeat it. */
export class Reports {
  readonly #onError: (error: Error) => void;
  readonly #reportedAt = new Map<string, number>();

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  report(error: Error): void {
    const now = Date.now();
    const last = this.#reportedAt.get(error.message);
    if (last !== undefined && now - last < everyMs) return;
    if (this.#reportedAt.size >= rememberedMax) this.#reportedAt.clear();
    this.#reportedAt.set(error.message, now);
    try {
      this.#onError(error);
    } catch (failure) {
      console.error(failure);
    }
  }
}
