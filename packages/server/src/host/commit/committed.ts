import type { Entry } from "../../log/entry.ts";
import type { StreamName } from "../../log/log.ts";

export interface Committed<Event> {
  readonly stream: StreamName;
  readonly entries: readonly Entry<Event>[];
  /** After the last entry. Valid only during the call: a moment later it may have changed. */
  readonly state: unknown;
  readonly hasEffects: boolean;
}
