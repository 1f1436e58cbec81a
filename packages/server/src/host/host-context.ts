import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import type { Membership } from "./cluster/membership.ts";
import type { Committed } from "./commit/committed.ts";
import type { AnyDecider } from "./host-options.ts";
import type { AnyMailbox } from "./stream/mailbox.ts";
import type { StreamCache } from "./stream/stream-cache.ts";

export interface HostContext {
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, AnyDecider>>;
  readonly cache: StreamCache;
  readonly membership: Membership;
  readonly wake: (mailbox: AnyMailbox) => void;
  /** CL6: memory had entries that the log does not contain, so it was dropped. */
  readonly onForked: (mailbox: AnyMailbox) => void;
  readonly onAbsorbed: (committed: Committed<unknown>) => void;
  readonly onError: (error: unknown) => void;
}
