import assert from "node:assert/strict";
import type { CommitOutcome, Tail, Wanted } from "../../src/log/commit.ts";
import { firstHash, nextHash } from "../../src/log/entry.ts";
import type { Append, Log, StreamName } from "../../src/log/log.ts";
import { appendTo } from "./contract.ts";

/** One node's memory of one stream, updated by the tails of its commits, each of which must fit. */
export class Replica {
  readonly log: Log;
  readonly stream: StreamName;
  version = 0;
  hash: string;

  constructor(log: Log, stream: StreamName) {
    this.log = log;
    this.stream = stream;
    this.hash = firstHash(stream);
  }

  get wanted(): Wanted {
    return { stream: this.stream, after: this.version, hash: this.hash };
  }

  absorb(tail: Tail): void {
    assert.ok(typeof tail !== "string", `a tail that is ${tail}`);
    for (const { first, lines, hash } of tail) {
      assert.equal(first, this.version + 1, "a tail begins where the memory ends");
      for (const line of lines) this.hash = nextHash(this.hash, line);
      this.version += lines.length;
      assert.equal(this.hash, hash, "a tail continues the chain");
    }
  }

  next(text: string, count = 1): Append {
    return appendTo(this.stream, this.version, this.hash, { count, text });
  }

  /** Appends to the stream in a separate commit. */
  async add(text: string, count = 1): Promise<CommitOutcome> {
    const [outcome] = await addTogether([this], text, count);
    return outcome;
  }
}

/** Appends to several streams of one node in one commit. */
export async function addTogether(
  replicas: readonly Replica[],
  text: string,
  count = 1,
): Promise<CommitOutcome[]> {
  const made: Append[] = [];
  const wanted = replicas.map((replica) => replica.wanted);
  const outcomes = await replicas[0].log.commit(wanted, (tails) => {
    for (const [index, replica] of replicas.entries()) {
      replica.absorb(tails[index]);
      made.push(replica.next(text, count));
    }
    return made;
  });
  for (const [index, replica] of replicas.entries()) {
    if (outcomes[index] !== "committed") continue;
    replica.version += count;
    replica.hash = made[index].hash;
  }
  return outcomes;
}

export async function versionsOf(log: Log, streams: readonly StreamName[]): Promise<number[]> {
  return (await log.heads(streams)).map((head) => head?.version ?? 0);
}
