import type { LadderRows, Listing, Millis } from "@openseat/kernel";
import { type CommitOutcome, commitAsOwner, type Decide, type Wanted } from "../commit.ts";
import {
  type Append,
  type AppendOutcome,
  type DeadLetter,
  deadLettersMax,
  endedStatus,
  type Head,
  isTimeToDrop,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  type Outgoing,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StreamName,
} from "../log.ts";
import type { Roles } from "../sharing.ts";
import { MemoryLadders } from "./memory-ladders.ts";

interface Stream {
  readonly number: number;
  readonly batches: StoredBatch[];
  head: Head;
  due: Millis | undefined;
  listing: Listing;
  readonly creator: string | undefined;
  snapshot: Snapshot | undefined;
}

/** A log that lives as long as the process, for simulation and tests. */
export class MemoryLog implements Log {
  readonly #streams = new Map<StreamName, Stream>();
  readonly ladders = new MemoryLadders();
  readonly #waiting = new Map<number, Outgoing>();
  readonly #setAside = new Map<number, DeadLetter>();
  #sent = 0;

  readonly shards = 1;
  readonly commitStreamsMax = Number.POSITIVE_INFINITY;
  readonly dueLateMs = Number.POSITIVE_INFINITY;
  readonly outboxLateMs = 0;

  join<Membership>(roles: Roles<Membership>): Membership {
    return roles.owner();
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    return commitAsOwner((appends) => this.append(appends), wanted, decide);
  }

  async append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    return appends.map((append) => this.#appendOne(append));
  }

  #appendOne(append: Append): AppendOutcome {
    const { stream: name, after, lines, hash, due, listing, creator, rows, effects = [] } = append;
    const stream = this.#streams.get(name);
    if ((stream?.head.version ?? 0) !== after) return "conflict";
    const batch = { first: after + 1, lines: [...lines], hash };
    const head = { version: after + lines.length, hash };
    if (stream) {
      stream.batches.push(batch);
      Object.assign(stream, { head, due, listing });
    } else {
      const number = this.#streams.size + 1;
      this.#streams.set(name, { number, batches: [batch], head, due, listing, creator, snapshot: undefined });
    }
    if (rows) this.ladders.write(name, rows as LadderRows);
    for (const { version, to, body } of effects) {
      this.#send({ from: name, version, to: to as StreamName, body });
    }
    return "appended";
  }

  async outbox(after: number, limit: number): Promise<Outgoing[]> {
    return this.#between({ after, upTo: Number.MAX_SAFE_INTEGER }).slice(0, limit);
  }

  async outboxOf({ from, to }: Route, span: Span, limit: number): Promise<Outgoing[]> {
    const isOnIt = (item: Outgoing) => item.to === to && (from === undefined || item.from === from);
    return this.#between(span).filter(isOnIt).slice(0, limit);
  }

  async delivered(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      this.#waiting.delete(number);
      this.#setAside.delete(number);
    }
  }

  async undeliverable(numbers: readonly number[], reason: string, setAsideAt: Millis): Promise<void> {
    for (const number of numbers) {
      const item = this.#waiting.get(number) ?? this.#setAside.get(number);
      if (item) this.#setAside.set(number, { ...item, reason, setAsideAt });
      this.#waiting.delete(number);
    }
    if (!numbers.some(isTimeToDrop)) return;
    const all = await this.deadLetters(undefined, Number.MAX_SAFE_INTEGER);
    for (const { number } of all.slice(deadLettersMax)) this.#setAside.delete(number);
  }

  async discard(number: number): Promise<boolean> {
    return this.#setAside.delete(number);
  }

  async deadLetters(before = Number.MAX_SAFE_INTEGER, limit: number): Promise<DeadLetter[]> {
    return [...this.#setAside.values()]
      .filter(({ number }) => number < before)
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  async resend(number: number): Promise<Outgoing | undefined> {
    const letter = this.#setAside.get(number);
    if (!letter) return undefined;
    this.#setAside.delete(number);
    const { from, version, to, body } = letter;
    return this.#send({ from, version, to, body });
  }

  #send(item: Omit<Outgoing, "number">): Outgoing {
    const sent = { number: ++this.#sent, ...item };
    this.#waiting.set(sent.number, sent);
    return sent;
  }

  #between({ after, upTo }: Span): Outgoing[] {
    return [...this.#waiting.values()].filter(({ number }) => number > after && number <= upTo);
  }

  async head(name: StreamName): Promise<Head | undefined> {
    return this.#streams.get(name)?.head;
  }

  heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    return Promise.all(streams.map((stream) => this.head(stream)));
  }

  async read(name: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    const found: StoredBatch[] = [];
    let entries = 0;
    for (const batch of this.#streams.get(name)?.batches ?? []) {
      if (batch.first + batch.lines.length - 1 <= after) continue;
      if (entries >= limit) break;
      found.push(batch);
      entries += batch.lines.length;
    }
    return found;
  }

  async line(name: StreamName, version: number): Promise<string | undefined> {
    const [batch] = await this.read(name, version - 1, 1);
    return batch?.lines[version - batch.first];
  }

  async list({ kind, status, isLive, before, limit }: ListQuery): Promise<Listed[]> {
    return [...this.#streams]
      .filter(([name, { listing }]) => name.startsWith(`${kind}/`) && (!status || listing.status === status))
      .filter(([, { listing }]) => !isLive || listing.status !== endedStatus)
      .filter(([, { number }]) => before === undefined || number < before)
      .map(([stream, { number, listing }]) => ({ stream, number, ...listing }))
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  async countLive({ creator, kinds, limit }: LiveQuery): Promise<number> {
    const live = [...this.#streams].filter(
      ([name, stream]) =>
        stream.creator === creator &&
        stream.listing.status !== endedStatus &&
        kinds.includes(name.slice(0, name.indexOf("/"))),
    );
    return Math.min(limit, live.length);
  }

  async due(now: Millis, limit: number): Promise<StreamName[]> {
    return [...this.#streams]
      .flatMap(([name, { due }]) => (due !== undefined && due <= now ? [{ name, due }] : []))
      .sort((a, b) => a.due - b.due)
      .slice(0, limit)
      .map(({ name }) => name);
  }

  async nextDue(now: Millis): Promise<Millis | undefined> {
    let earliest: Millis | undefined;
    for (const { due } of this.#streams.values()) {
      if (due !== undefined && due > now && (earliest === undefined || due < earliest)) earliest = due;
    }
    return earliest;
  }

  async saveSnapshot(
    name: StreamName,
    { parts, ...head }: Head & { parts: Iterable<Uint8Array> },
  ): Promise<void> {
    const stream = this.#streams.get(name);
    if (stream) stream.snapshot = { ...head, parts: Array.from(parts, (part) => part.slice()) };
  }

  async loadSnapshot(name: StreamName): Promise<Snapshot | undefined> {
    return this.#streams.get(name)?.snapshot;
  }

  async snapshotVersion(name: StreamName): Promise<number> {
    return this.#streams.get(name)?.snapshot?.version ?? 0;
  }

  async snapshotPart(name: StreamName, part: number): Promise<SnapshotPart | undefined> {
    const snapshot = this.#streams.get(name)?.snapshot;
    const bytes = snapshot?.parts[part];
    return bytes && { version: snapshot.version, bytes };
  }

  async close(): Promise<void> {}
}
