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

interface Channel {
  readonly attendants: Set<LineSubscriber>;
  readonly byTicket: Map<number, Set<LineSubscriber>>;
  /** A pulse is scheduled or being read. */
  isDue: boolean;
  /** Something was published that the pulse being read may have missed. */
  isStale: boolean;
  /** The newest version that was published. */
  told: number | undefined;
  /** Any place may have changed: all subscribers are notified with the next pulse. */
  isInDoubt: boolean;
  /** The newest version for which all subscribers were notified. */
  looked: number;
  sentAt: number;
}

/** FD3: all followers of a line get the same small pulses. Only those whose place has changed are notified. */
export class LineBroadcast {
  readonly #clock: Clock;
  readonly #read: (stream: StreamName) => Promise<string | undefined>;
  readonly #onError: (error: unknown) => void;
  readonly #log: Pick<Log, "heads">;
  readonly #channels = new Map<StreamName, Channel>();

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
    for (const { attendants } of this.#channels.values()) size += attendants.size;
    return size;
  }

  has(stream: StreamName): boolean {
    return this.#channels.has(stream);
  }

  attend(stream: StreamName, attendant: LineSubscriber, ticket?: number): { close(): void } {
    const channel = this.#channels.get(stream) ?? newChannel();
    this.#channels.set(stream, channel);
    channel.attendants.add(attendant);
    const same = ticket === undefined ? undefined : (channel.byTicket.get(ticket) ?? new Set());
    if (same) channel.byTicket.set(ticket!, same.add(attendant));
    return {
      close: () => {
        channel.attendants.delete(attendant);
        same?.delete(attendant);
        if (same?.size === 0 && channel.byTicket.get(ticket!) === same) channel.byTicket.delete(ticket!);
        if (channel.attendants.size === 0 && this.#channels.get(stream) === channel)
          this.#channels.delete(stream);
      },
    };
  }

  /** These entries are durable. They may arrive late or again; nobody is notified twice of the same entry. */
  publish({ stream, entries }: { readonly stream: StreamName; readonly entries: readonly Entry[] }): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    const told = channel.told ?? entries[0].version - 1;
    const news = (entries as readonly Entry<QueueEvent>[]).filter(({ version }) => version > told);
    if (news.length === 0) return;
    // Another node wrote the entries in the gap, or their append seemed to fail. Which places changed is unknown.
    if (news[0].version > told + 1) channel.isInDoubt = true;
    // An end changes every place, and its entry does not name them.
    if (news.some(({ events }) => events.some(({ type }) => type === "ended"))) channel.isInDoubt = true;
    if (channel.byTicket.size > 0)
      for (const { events } of news)
        for (const event of events) for (const ticket of ticketsOf(event)) touch(channel, ticket);
    channel.told = news[news.length - 1].version;
    this.#pulseSoon(stream, channel);
  }

  /** Entries up to this version, if it is known, may have been written without a publication. */
  catchUp(stream: StreamName, version = Number.POSITIVE_INFINITY): void {
    const channel = this.#channels.get(stream);
    if (!channel || version <= Math.max(channel.told ?? 0, channel.looked)) return;
    if (version < Number.POSITIVE_INFINITY) channel.looked = version;
    channel.isInDoubt = true;
    this.#pulseSoon(stream, channel);
  }

  /** CL6: subscribers of this line may have seen entries that are lost. */
  showAnew(stream: StreamName): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    Object.assign(channel, { told: undefined, looked: 0, isInDoubt: true });
    this.#pulseSoon(stream, channel);
  }

  /** CL6: the same for every line whose subscribers have seen a version after this one. They have seen at least version 1. */
  showAllAnew(versionOf: (stream: StreamName) => number): void {
    for (const [stream, { told = 1, looked }] of this.#channels)
      if (Math.max(told, looked) > versionOf(stream)) this.showAnew(stream);
  }

  /** Other nodes may have appended to any line. */
  catchUpAll(): void {
    eachStream(this.#log, [...this.#channels.keys()], (stream, version) =>
      this.catchUp(stream, version),
    ).catch(this.#onError);
  }

  #pulseSoon(stream: StreamName, channel: Channel): void {
    channel.isStale = true;
    if (channel.isDue) return;
    channel.isDue = true;
    const every = Math.max(pulseLimits.everyMsMin, channel.attendants.size / pulseLimits.sentPerMs);
    const since = Math.max(0, this.#clock.now() - channel.sentAt);
    this.#clock.after(Math.max(0, every - since), () => void this.#pulse(stream, channel));
  }

  async #pulse(stream: StreamName, channel: Channel): Promise<void> {
    channel.isStale = false;
    if (channel.isInDoubt) lookAll(channel);
    try {
      const json = await this.#read(stream);
      if (json !== undefined) send(channel, json);
    } catch (error) {
      this.#onError(error);
    }
    channel.sentAt = this.#clock.now();
    channel.isDue = false;
    if (channel.isStale && channel.attendants.size > 0) this.#pulseSoon(stream, channel);
  }
}

function send({ attendants }: Channel, json: string): void {
  for (const attendant of [...attendants])
    if (attendant.backlogBytes <= pulseLimits.backlogBytesMax) attendant.pulse(json);
}

function newChannel(): Channel {
  return {
    attendants: new Set(),
    byTicket: new Map(),
    isDue: false,
    isStale: false,
    told: undefined,
    isInDoubt: false,
    looked: 0,
    sentAt: Number.NEGATIVE_INFINITY,
  };
}

function touch({ byTicket }: Channel, ticket: number): void {
  for (const attendant of [...(byTicket.get(ticket) ?? [])]) attendant.touched();
}

/** At most once per pulse, because notifying everyone in a long line costs as much as a pulse. */
function lookAll(channel: Channel): void {
  channel.isInDoubt = false;
  for (const ticket of [...channel.byTicket.keys()]) touch(channel, ticket);
}

function ticketsOf(event: QueueEvent): readonly number[] {
  if ("tickets" in event) return event.tickets;
  return "ticket" in event ? [event.ticket] : [];
}
