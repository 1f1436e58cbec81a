import type { Decider } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Log, StreamName } from "../log/log.ts";
import type { Committed } from "./commit/committed.ts";
import type { ChannelSender } from "./outbox/channel-sender.ts";

// biome-ignore lint/suspicious/noExplicitAny: one map holds deciders of all kinds
export type AnyDecider = Decider<any, any, any>;

export interface HostOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, AnyDecider>>;
  readonly senders?: Readonly<Record<string, ChannelSender>>;
  /** Maximum number of streams in memory, not counting those that must stay. Beyond it, the least recently used leave. */
  readonly residentStreamsMax?: number;
  readonly idleMs?: number;
  readonly snapshotTailMin?: number;
  /** Called with everything that became durable, in order within each stream. */
  readonly onCommit?: (committed: Committed<unknown>) => void;
  /**
   * A stream may have advanced without a call of `onCommit`: an append failed but may have been written, or another node
   * appended, up to `version` if it is known. Without a name, any stream may have advanced.
   */
  readonly onDoubt?: (stream?: StreamName, version?: number) => void;
  /** CL6: the log went back. Published entries of this stream may be lost. */
  readonly onForked?: (stream: StreamName) => void;
  /** CL6: the log may have gone back. Published entries of a stream after `versionOf` it may be lost. */
  readonly onServerChanged?: (versionOf: (stream: StreamName) => number) => void;
  /** CK3: a loaded stream is so far ahead of the clock that it uses its own time. */
  readonly onAhead?: (stream: StreamName, aheadMs: number) => void;
  /** Whether entries from other nodes in this stream must be published at once. By default, in every stream. */
  readonly isWatched?: (stream: StreamName) => boolean;
  /** This node became the leader or stopped being it. */
  readonly onLeader?: (isLeader: boolean) => void;
  readonly onError?: (error: unknown) => void;
}
