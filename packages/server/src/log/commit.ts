import type { Append, AppendOutcome, StoredBatch, StreamName } from "./log.ts";

/** A stream to decide in, with the version and hash that memory has. */
export interface Wanted {
  readonly stream: StreamName;
  readonly after: number;
  readonly hash: string;
}

/**
 * What others have appended to the stream since, oldest first. If it is `long` or `forked`, nothing is decided in that stream.
 * `long`: others have appended more than a commit can read, so catch up first. `forked`: the log does not contain what is in
 * memory, because the log went back (CL6), so reload the stream.
 */
export type Tail = readonly StoredBatch[] | "long" | "forked";

/** What to append to each stream after its tail, in the order of `wanted`. Undefined appends nothing. */
export type Decide = (tails: readonly Tail[]) => readonly (Append | undefined)[];

/**
 * The outcome for one stream. `committed`: it was decided on the latest state, and the result (which may be empty) is durable.
 * `conflict`: nothing was written, decide again on what the log has. `behind` and `forked`: its tail was `long` or `forked`.
 */
export type CommitOutcome = "committed" | "conflict" | "behind" | "forked";

/** Maximum number of entries that a commit reads while others wait for it. A node that is further behind catches up first. */
export const tailEntriesMax = 4_096;

/** Streams per commit if several nodes share the log. With more, other nodes would wait too long for one of them. */
export const commitStreamsMax = 500;

export function outcomeOf(tail: Tail): CommitOutcome {
  if (tail === "long") return "behind";
  return tail === "forked" ? "forked" : "committed";
}

const noTail: Tail = [];

/** Commits to a log that one process owns: nobody else appends, so `decide` runs at once. */
export async function commitAsOwner(
  append: (appends: readonly Append[]) => Promise<readonly AppendOutcome[]>,
  wanted: readonly Wanted[],
  decide: Decide,
): Promise<CommitOutcome[]> {
  const decided = decide(wanted.map(() => noTail));
  const appends = decided.filter((each) => each !== undefined);
  const outcomes = appends.length > 0 ? await append(appends) : [];
  let index = 0;
  return decided.map((each) => (each && outcomes[index++] === "conflict" ? "conflict" : "committed"));
}
