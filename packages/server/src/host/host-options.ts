import type { Decider } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Log, StreamName } from "../log/log.ts";
import type { Committed } from "./commit/committed.ts";
import type { ChannelSender } from "./outbox/channel-sender.ts";

// biome-ignore lint/suspicious/noExplicitAny: deciders of all kinds stand side by side, as their mailboxes do
export type AnyDecider = Decider<any, any, any>;

export interface HostOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, AnyDecider>>;
  readonly senders?: Readonly<Record<string, ChannelSender>>;
  /** Streams in memory, not counting those that must stay. Beyond it, the longest quiet ones leave. */
  readonly residentStreamsMax?: number;
  readonly idleMs?: number;
  readonly snapshotTailMin?: number;
  /** Called with everything that has become durable, in order within each stream. */
  readonly onCommit?: (committed: Committed<unknown>) => void;
  /**
   * A stream may have grown without a call of `onCommit`: an append failed and may have been written all the same, or another node has
   * written, up to `version` if it is known. Without a name, any stream may have grown.
   */
  readonly onDoubt?: (stream?: StreamName, version?: number) => void;
  /** CL6: the log went back. What was published of this stream may be lost. */
  readonly onForked?: (stream: StreamName) => void;
  /** CL6: the log may have gone back. What was published of a stream after `versionOf` it may be lost. */
  readonly onServerChanged?: (versionOf: (stream: StreamName) => number) => void;
  /** CK3: a stream was loaded whose newest entry is so far ahead that the stream goes by its own time. */
  readonly onAhead?: (stream: StreamName, aheadMs: number) => void;
  /** Whether entries of other nodes in this stream have to be published at once. By default, in every stream. */
  readonly isWatched?: (stream: StreamName) => boolean;
  /** This node begins or ends what one node does for all. */
  readonly onLeader?: (isLeader: boolean) => void;
  readonly onError?: (error: unknown) => void;
}
