import type { ArenaEvent, GameEvent, QueueEvent } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { type Arena, playersIn } from "./arena/arena.ts";
import type { Game } from "./game/model.ts";
import { awayAfterMs, inLine, inState, type Queue } from "./queue/queue.ts";
import type { Event, Kind } from "./requests.ts";
import { isLive } from "./specification.ts";

/** Places that expire or become away without heartbeats. */
export interface Lease<Room> {
  readonly rule: string;
  readonly reason: string;
  /** A silent place ends after at most this many windows. */
  readonly windowsMax: number;
  /**
   * Set where a window starts by the wall clock: after that clock was changed, only the earliest end is certain.
   */
  readonly isByWallClock?: true;
  windowMs(room: Room): number | null;
  tickets(room: Room): readonly number[];
  /** Silent places that the next heartbeat brings back. */
  returns?(room: Room): readonly number[];
}

const ofGames: readonly Lease<Game>[] = [
  {
    rule: "LS2",
    reason: "heartbeat_timeout",
    windowsMax: 2,
    windowMs: ({ terms }) => terms.heartbeatTimeoutMs ?? null,
    tickets: ({ places }) => places.filter(isLive).map(({ ticket }) => ticket),
  },
];

const ofQueues: readonly Lease<Queue>[] = [
  {
    rule: "LS1",
    reason: "heartbeat_timeout",
    windowsMax: 2,
    windowMs: ({ settings }) => settings.heartbeatTimeoutMs,
    tickets: ({ line }) => line,
  },
  {
    rule: "LS2",
    reason: "session_timeout",
    windowsMax: 2,
    windowMs: ({ settings }) => settings.sessionTimeoutMs,
    tickets: (queue) => inState(queue, "active").map(({ ticket }) => ticket),
  },
  {
    rule: "LN11",
    reason: "away",
    // Expires before the lease itself does, so it is accurate to half a window.
    windowsMax: 1.5,
    windowMs: awayAfterMs,
    tickets: (queue) => inLine(queue, false),
    returns: (queue) => inLine(queue, true),
  },
];

const ofArenas: readonly Lease<Arena>[] = [
  {
    rule: "LS1",
    reason: "heartbeat_timeout",
    windowsMax: 2,
    windowMs: ({ settings }) => settings.heartbeatTimeoutMs,
    tickets: ({ line }) => line.map(({ ticket }) => ticket),
  },
  {
    rule: "AR8",
    reason: "forfeited",
    // The opponent is waiting, so it is accurate to a fifth of a window.
    windowsMax: 1.2,
    isByWallClock: true,
    windowMs: ({ settings }) => settings.reconnectGraceMs,
    tickets: (arena) => playersIn(arena).map(({ ticket }) => ticket),
  },
];

// biome-ignore lint/suspicious/noExplicitAny: leases of rooms of all kinds
export const leases: Readonly<Record<Kind, readonly Lease<any>[]>> = {
  game: ofGames,
  queue: ofQueues,
  arena: ofArenas,
  ladder: [],
  directory: [],
  conversation: [],
};

/** The places that an entry ended or made away because of silence, with the reason it gives. */
export function silencedBy({ command, events }: Entry<Event>): { ticket: number; reason: string }[] {
  if (command !== "expire" && command !== "forfeit" && command !== "away") return [];
  return (events as readonly (GameEvent | QueueEvent | ArenaEvent)[]).flatMap((event) => {
    if (event.type === "away") return event.tickets.map((ticket) => ({ ticket, reason: event.type }));
    if (event.type === "expired" && "tickets" in event)
      return event.tickets.map((ticket) => ({ ticket, reason: event.reason as string }));
    // A champion who leaves after enough wins by forfeit was not silent.
    const isSilent = event.type === "left" && event.reason !== "completed";
    return isSilent ? [{ ticket: event.ticket, reason: event.reason as string }] : [];
  });
}

/** The places that an entry brought back. */
export function returnedBy({ events }: Entry<Event>): readonly number[] {
  return (events as readonly QueueEvent[]).flatMap((event) => (event.type === "back" ? event.tickets : []));
}

/** The places that an entry created: joining counts as a heartbeat. */
export function begunBy({ events }: Entry<Event>): number[] {
  return events.flatMap((event) =>
    event.type === "entered" || event.type === "joined" ? [event.ticket] : [],
  );
}

/** The smallest grace that settings allow. */
const graceMsMin = 1_000;

/** Raises all lease lengths in these settings to what the world can keep. */
export function lengthened<Settings extends object>(settings: Settings, leaseMsMin: number): Settings {
  const atLeast = (name: string, leastMs: number) => {
    const value = (settings as Record<string, unknown>)[name];
    return typeof value === "number" ? { [name]: Math.max(value, leastMs) } : {};
  };
  return {
    ...settings,
    ...atLeast("heartbeatTimeoutMs", leaseMsMin),
    ...atLeast("sessionTimeoutMs", leaseMsMin),
    ...atLeast("reconnectGraceMs", Math.min(leaseMsMin, graceMsMin)),
  };
}
