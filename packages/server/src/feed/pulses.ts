import type { QueueEvent } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { Log, StreamName } from "../log/log.ts";
import { eachStream } from "./each-stream.ts";

/** A connection that follows a line. */
export interface Attendant {
  /** The shared pulse, as JSON. */
  pulse(json: string): void;
  /** The place has changed. */
  touched(): void;
  /** What has been sent and not yet received. */
  readonly backlogBytes: number;
}

export const pulseLimits = {
  /** FD3: four pulses a second at the most. */
  everyMsMin: 250,
  /** And so many messages a second in all: a pulse to twenty thousand comes once a second. */
  sentPerMs: 20,
  /** FD2: to whoever takes nothing, nothing more is sent. The next pulse says all that the missed ones said. */
  backlogBytesMax: 64 * 1024,
} as const;

interface Channel {
  readonly attendants: Set<Attendant>;
  readonly byTicket: Map<number, Set<Attendant>>;
  /** A pulse is on its way, or will be when enough time has passed. */
  isDue: boolean;
  /** Something has been published that the pulse on its way may not tell. */
  isStale: boolean;
  /** The newest version that was published; undefined before any was. */
  told: number | undefined;
  /** Something may have happened to anyone: with the next pulse all of them look. */
  isInDoubt: boolean;
  /** The newest version for which they were made to. */
  looked: number;
  sentAt: number;
}

/**
 * FD3: in a long line an admission is no message to everyone: all get one small pulse, the same for all, and whoever
 * something has happened to is told so.
 */
export class Pulses {
  readonly #clock: Clock;
  readonly #read: (stream: StreamName) => Promise<string | undefined>;
  readonly #onError: (error: unknown) => void;
  readonly #log: Pick<Log, "heads">;
  readonly #channels = new Map<StreamName, Channel>();

  /** `read` gives the pulse of a line, as it is when asked. */
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

  /** Whether anybody follows it. */
  has(stream: StreamName): boolean {
    return this.#channels.has(stream);
  }

  attend(stream: StreamName, attendant: Attendant, ticket?: number): { close(): void } {
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

  /** These have become durable. They may come late, and some of them again: what was told is not told twice. */
  publish({ stream, entries }: { readonly stream: StreamName; readonly entries: readonly Entry[] }): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    const told = channel.told ?? entries[0].version - 1;
    const news = (entries as readonly Entry<QueueEvent>[]).filter(({ version }) => version > told);
    if (news.length === 0) return;
    // What lies between was written though its append seemed to fail, or by another node: to whom it happened is not known.
    if (news[0].version > told + 1) channel.isInDoubt = true;
    // Something has happened to everybody, and the entry does not name them.
    if (news.some(({ events }) => events.some(({ type }) => type === "ended"))) channel.isInDoubt = true;
    if (channel.byTicket.size > 0) {
      for (const { events } of news)
        for (const event of events) for (const ticket of ticketsOf(event)) touch(channel, ticket);
    }
    channel.told = news[news.length - 1].version;
    this.#pulseSoon(stream, channel);
  }

  /** Something may have been written without being published: up to this version, where it is known. */
  catchUp(stream: StreamName, version = Number.POSITIVE_INFINITY): void {
    const channel = this.#channels.get(stream);
    if (!channel || version <= Math.max(channel.told ?? 0, channel.looked)) return;
    if (version < Number.POSITIVE_INFINITY) channel.looked = version;
    channel.isInDoubt = true;
    this.#pulseSoon(stream, channel);
  }

  /** CL6: what was told of this line may be lost: everybody in it looks. */
  showAnew(stream: StreamName): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    Object.assign(channel, { told: undefined, looked: 0, isInDoubt: true });
    this.#pulseSoon(stream, channel);
  }

  /** CL6: the same of every line, where something was told after this version. Everybody in a line has looked at version 1 or later. */
  showAllAnew(versionOf: (stream: StreamName) => number): void {
    for (const [stream, { told = 1, looked }] of this.#channels)
      if (Math.max(told, looked) > versionOf(stream)) this.showAnew(stream);
  }

  /** In any of them, by other nodes. */
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
    // What was published while the line was read may not have been in it.
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

/** Not more often than there are pulses: a look of everyone in a long line costs as much. */
function lookAll(channel: Channel): void {
  channel.isInDoubt = false;
  for (const ticket of [...channel.byTicket.keys()]) touch(channel, ticket);
}

function ticketsOf(event: QueueEvent): readonly number[] {
  if ("tickets" in event) return event.tickets;
  return "ticket" in event ? [event.ticket] : [];
}
