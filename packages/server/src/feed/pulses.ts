import type { QueueEvent } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import type { Entry } from "../log/entry.ts";
import type { StreamName } from "../log/log.ts";

/** Someone who follows a line, with a place in it or without. */
export interface Attendant {
  readonly ticket: number | undefined;
  /** The shared pulse, as JSON. */
  pulse(json: string): void;
  /** Something has become of the ticket: it is worth a look. */
  touched(): void;
  /** What has been sent and not yet taken. */
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
  readonly #channels = new Map<StreamName, Channel>();

  /** `read` gives the pulse of a line, as it is when asked. */
  constructor(
    clock: Clock,
    read: (stream: StreamName) => Promise<string | undefined>,
    onError: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#read = read;
    this.#onError = onError;
  }

  get size(): number {
    let size = 0;
    for (const { attendants } of this.#channels.values()) size += attendants.size;
    return size;
  }

  attend(stream: StreamName, attendant: Attendant): { close(): void } {
    const channel = this.#channels.get(stream) ?? newChannel();
    this.#channels.set(stream, channel);
    channel.attendants.add(attendant);
    const { ticket } = attendant;
    if (ticket !== undefined) {
      const same = channel.byTicket.get(ticket) ?? new Set();
      channel.byTicket.set(ticket, same.add(attendant));
    }
    return { close: () => this.#leave(stream, channel, attendant) };
  }

  #leave(stream: StreamName, channel: Channel, attendant: Attendant): void {
    channel.attendants.delete(attendant);
    const same = channel.byTicket.get(attendant.ticket ?? 0);
    same?.delete(attendant);
    if (same?.size === 0) channel.byTicket.delete(attendant.ticket!);
    if (channel.attendants.size === 0 && this.#channels.get(stream) === channel)
      this.#channels.delete(stream);
  }

  /** These have just become durable. */
  publish({ stream, entries }: { readonly stream: StreamName; readonly entries: readonly Entry[] }): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    if (channel.byTicket.size > 0) {
      for (const { events } of entries as readonly Entry<QueueEvent>[])
        for (const event of events) for (const ticket of ticketsOf(event)) touch(channel, ticket);
    }
    this.#pulseSoon(stream, channel);
  }

  /** Something may have been written without being published. */
  catchUp(stream: StreamName): void {
    const channel = this.#channels.get(stream);
    if (!channel) return;
    for (const ticket of [...channel.byTicket.keys()]) touch(channel, ticket);
    this.#pulseSoon(stream, channel);
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
    sentAt: Number.NEGATIVE_INFINITY,
  };
}

function touch({ byTicket }: Channel, ticket: number): void {
  for (const attendant of [...(byTicket.get(ticket) ?? [])]) attendant.touched();
}

function ticketsOf(event: QueueEvent): readonly number[] {
  if ("tickets" in event) return event.tickets;
  return "ticket" in event ? [event.ticket] : [];
}
