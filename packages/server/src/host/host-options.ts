import type { Decider } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Log, StreamName } from "../log/log.ts";
import type { Committed } from "./commit/committed.ts";
import type { Courier } from "./outbox/courier.ts";

// biome-ignore lint/suspicious/noExplicitAny: deciders of all kinds stand side by side, as their mailboxes do
export type AnyDecider = Decider<any, any, any>;

export interface HostOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, AnyDecider>>;
  /** By kind: who takes what entries cause outside. */
  readonly couriers?: Readonly<Record<string, Courier>>;
  /** Streams in memory; past it, the ones that have been quiet longest leave. Those that must stay come on top. */
  readonly residentStreamsMax?: number;
  /** How long a stream may be quiet before it leaves memory. */
  readonly idleMs?: number;
  /** Entries since the last snapshot before another is considered. */
  readonly snapshotTailMin?: number;
  /** Told of everything that has become durable, in order within each stream. */
  readonly onCommit?: (committed: Committed<unknown>) => void;
  /**
   * Told of streams that may have grown without `onCommit` being told: an append failed and may have been written all the
   * same, or another node has written (up to this version, where it is known); without a stream, any of them may have.
   */
  readonly onDoubt?: (stream?: StreamName, version?: number) => void;
  /** CL6: the log went back: what was published of this stream may be lost. */
  readonly onForked?: (stream: StreamName) => void;
  /** CL6: the log may have gone back: of each stream, what was published after `versionOf` it may be lost. */
  readonly onServerChanged?: (versionOf: (stream: StreamName) => number) => void;
  /** CK3: told of a stream that is in memory now, and whose newest entry is so far ahead that it goes by its own time. */
  readonly onAhead?: (stream: StreamName, aheadMs: number) => void;
  /** Whether somebody is to be shown what other nodes write to a stream; unless given, of every stream. */
  readonly isWatched?: (stream: StreamName) => boolean;
  /** Told when this node becomes the one that fetches and delivers for all of them, and when it is it no more. */
  readonly onCaretaker?: (isCaretaker: boolean) => void;
  readonly onError?: (error: unknown) => void;
}
