import type { Entry } from "../../log/entry.ts";
import type { StreamName } from "../../log/log.ts";

/** Entries of one stream that have become durable. */
export interface Committed<Event> {
  readonly stream: StreamName;
  readonly entries: readonly Entry<Event>[];
  /** As the last of them left it. To be looked at while it is handed over: a moment later it may have gone on. */
  readonly state: unknown;
  /** Whether they cause something in other streams. */
  readonly hasEffects: boolean;
}
