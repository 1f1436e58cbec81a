import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../identity.ts";

export interface Arriving {
  readonly identity: Identity;
  readonly address: string;
  readonly queue: string;
  readonly isOnPage: boolean;
}

/** LM3: how many new places one address may take per minute. */
export interface EnterLimit {
  /** Counts the arrival, or says why it is refused. `queueMax` is the queue's own limit, if it has one. */
  refusalFor(arriving: Arriving, queueMax: number | null): Refusal | undefined;
}
