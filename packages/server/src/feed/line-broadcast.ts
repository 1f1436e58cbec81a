import type { QueueEvent } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";
import { eachStream } from "./each-stream.ts";

/** A connection that follows a line. */
export interface LineSubscriber {
  /** Sends the shared pulse, as JSON. */
  pulse(json: string): void;
  /** The place has changed. */
  touched(): void;
  /** Bytes that were sent and not yet received. */
  readonly backlogBytes: number;
}

export const pulseLimits = {
  /** FD3: at most four pulses per second. */
  everyMsMin: 250,
  /** At most this many messages per millisecond to one line: 20,000 people get one pulse per second. */
  sentPerMs: 20,
  /** FD2: past this, pulses are skipped. The next pulse replaces the skipped ones. */
  backlogBytesMax: 64 * 1024,
} as const;

interface Line {
  readonly subscribers: Set<LineSubscriber>;
  readonly byTicket: Map<number, Set<LineSubscriber>>;
  /** A pulse is scheduled or being read. */
  isDue: boolean;
  /** Something was published that the pulse being read may have missed. */
  isStale: boolean;
  /** The newest version that was published. */
  published: number | undefined;
  /** Any place may have changed: all subscribers are notified with the next pulse. */
  isInDoubt: boolean;
  /** The newest version for which all subscribers were notified. */
  notified: number;
  sentAt: number;
}

/** FD3: all followers of a line get the same small pulses. Only those whose place has changed are notified. */
export class LineBroadcast {
  readonly #clock: Clock;
  readonly #read: (stream: StreamName) => Promise<string | undefined>;
  readonly #onError: (error: unknown) => void;
  readonly #log: Pick<Log, "heads">;
  readonly #lines = new Map<StreamName, Line>();

  /** `read` returns the current pulse of a line. */
  constructor(
    log: Pick<Log, "heads">,
    clock: Clock,
    read: (stream: StreamName) => Promise<string | undefined>,
    onError: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#read = read;
    this.#onError = onError;
    this.#log = log;
  }

  get size(): number {
    let size = 0;
    for (const { subscribers } of this.#lines.values()) size += subscribers.size;
    return size;
  }

  has(stream: StreamName): boolean {
    return this.#lines.has(stream);
  }

  subscribe(stream: StreamName, subscriber: LineSubscriber, ticket?: number): { close(): void } {
    const line = this.#lines.get(stream) ?? newLine();
    this.#lines.set(stream, line);
    line.subscribers.add(subscriber);
    const same = ticket === undefined ? undefined : (line.byTicket.get(ticket) ?? new Set());
    if (same) line.byTicket.set(ticket!, same.add(subscriber));
    return {
      close: () => {
        line.subscribers.delete(subscriber);
        same?.delete(subscriber);
        if (same?.size === 0 && line.byTicket.get(ticket!) === same) line.byTicket.delete(ticket!);
        if (line.subscribers.size === 0 && this.#lines.get(stream) === line) this.#lines.delete(stream);
      },
    };
  }

  /** These entries are durable. They may arrive late or again; nobody is notified twice of the same entry. */
  publish({ stream, entries }: { readonly stream: StreamName; readonly entries: readonly Entry[] }): void {
    const line = this.#lines.get(stream);
    if (!line) return;
    const published = line.published ?? entries[0].version - 1;
    const news = (entries as readonly Entry<QueueEvent>[]).filter(({ version }) => version > published);
    if (news.length === 0) return;
    // Another node wrote the entries in the gap, or their append seemed to fail. Which places changed is unknown.
    if (news[0].version > published + 1) line.isInDoubt = true;
    // An end changes every place, and its entry does not name them.
    if (news.some(({ events }) => events.some(({ type }) => type === "ended"))) line.isInDoubt = true;
    if (line.byTicket.size > 0)
      for (const { events } of news)
        for (const event of events) for (const ticket of ticketsOf(event)) touch(line, ticket);
    line.published = news[news.length - 1].version;
    this.#pulseSoon(stream, line);
  }

  /** Entries up to this version, if it is known, may have been written without a publication. */
  catchUp(stream: StreamName, version = Number.POSITIVE_INFINITY): void {
    const line = this.#lines.get(stream);
    if (!line || version <= Math.max(line.published ?? 0, line.notified)) return;
    if (version < Number.POSITIVE_INFINITY) line.notified = version;
    line.isInDoubt = true;
    this.#pulseSoon(stream, line);
  }

  /** CL6: subscribers of this line may have seen entries that are lost. */
  showAnew(stream: StreamName): void {
    const line = this.#lines.get(stream);
    if (!line) return;
    Object.assign(line, { published: undefined, notified: 0, isInDoubt: true });
    this.#pulseSoon(stream, line);
  }

  /** CL6: the same for every line whose subscribers have seen a version after this one. They have seen at least version 1. */
  showAllAnew(versionOf: (stream: StreamName) => number): void {
    for (const [stream, { published = 1, notified }] of this.#lines)
      if (Math.max(published, notified) > versionOf(stream)) this.showAnew(stream);
  }

  /** Other nodes may have appended to any line. */
  catchUpAll(): void {
    eachStream(this.#log, [...this.#lines.keys()], (stream, version) => this.catchUp(stream, version)).catch(
      this.#onError,
    );
  }

  #pulseSoon(stream: StreamName, line: Line): void {
    line.isStale = true;
    if (line.isDue) return;
    line.isDue = true;
    const every = Math.max(pulseLimits.everyMsMin, line.subscribers.size / pulseLimits.sentPerMs);
    const since = Math.max(0, this.#clock.now() - line.sentAt);
    this.#clock.after(Math.max(0, every - since), () => void this.#pulse(stream, line));
  }

  async #pulse(stream: StreamName, line: Line): Promise<void> {
    line.isStale = false;
    if (line.isInDoubt) touchAll(line);
    try {
      const json = await this.#read(stream);
      if (json !== undefined) send(line, json);
    } catch (error) {
      this.#onError(error);
    }
    line.sentAt = this.#clock.now();
    line.isDue = false;
    if (line.isStale && line.subscribers.size > 0) this.#pulseSoon(stream, line);
  }
}

function send({ subscribers }: Line, json: string): void {
  for (const subscriber of [...subscribers])
    if (subscriber.backlogBytes <= pulseLimits.backlogBytesMax) subscriber.pulse(json);
}

function newLine(): Line {
  return {
    subscribers: new Set(),
    byTicket: new Map(),
    isDue: false,
    isStale: false,
    published: undefined,
    isInDoubt: false,
    notified: 0,
    sentAt: Number.NEGATIVE_INFINITY,
  };
}

function touch({ byTicket }: Line, ticket: number): void {
  for (const subscriber of [...(byTicket.get(ticket) ?? [])]) subscriber.touched();
}

/** At most once per pulse, because notifying everyone in a long line costs as much as a pulse. */
function touchAll(line: Line): void {
  line.isInDoubt = false;
  for (const ticket of [...line.byTicket.keys()]) touch(line, ticket);
}

function ticketsOf(event: QueueEvent): readonly number[] {
  if ("tickets" in event) return event.tickets;
  return "ticket" in event ? [event.ticket] : [];
}
