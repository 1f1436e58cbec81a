import type { Entry } from "../../log/entry.ts";
import type { StreamName } from "../../log/log.ts";

export interface Committed<Event> {
  readonly stream: StreamName;
  readonly entries: readonly Entry<Event>[];
  /** The state after the last entry. Valid only during the call, because it may change right after. */
  readonly state: unknown;
  readonly hasEffects: boolean;
}
