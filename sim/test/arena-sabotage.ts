import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  type ArenaSettings,
  arenaDecider,
} from "@openseat/kernel";
import { arenaLens, type FeedMessage, type Lens } from "@openseat/server";
import type { Parts } from "../src/parts.ts";
import { arenas, deciding, hurried, lasting, mistaking, restoring, stretched } from "./rules.ts";
import { altered, type Sabotage } from "./sabotage.ts";

type Lease = NonNullable<typeof arenaDecider.presence>["leases"][number];
type Evolve = typeof arenaDecider.evolve;
type EventOf<Type extends ArenaEvent["type"]> = Extract<ArenaEvent, { readonly type: Type }>;

const [waitingLease, seatLease] = arenaDecider.presence!.leases;

/** Rules whose decisions are changed afterwards, and a state that accepts the changed events. */
function changing(
  change: (room: ArenaRoom, events: readonly ArenaEvent[], command: ArenaCommand) => readonly ArenaEvent[],
  evolve: Evolve = arenaDecider.evolve,
): Partial<Parts> {
  return arenas({ ...deciding(arenaDecider, change), evolve });
}

/** Rules that see an altered room. */
function seeing(other: (room: ArenaRoom) => Partial<ArenaRoom>): Partial<Parts> {
  return arenas(
    mistaking(arenaDecider, (room, { type }) => (type === "configure" ? {} : { state: other(room) })),
  );
}

const under = (room: ArenaRoom, settings: Partial<ArenaSettings>) => ({
  settings: { ...room.settings, ...settings },
});

function leasing(...leases: Lease[]): Partial<Parts> {
  return arenas({ presence: { leases } });
}

/** A feed whose messages are changed on their way. */
function showing(
  change: (message: FeedMessage, events: readonly ArenaEvent[]) => FeedMessage,
): Partial<Parts> {
  return {
    arenaLens(id, terms, look) {
      const lens = arenaLens(id, terms, look);
      const live: Lens["live"] = (entries, state) => {
        const messages = lens.live!(entries, state);
        return (viewer) =>
          messages(viewer).map((message, index) =>
            change(message, entries[index].events as readonly ArenaEvent[]),
          );
      };
      return { ...lens, live };
    },
  };
}

const chosenInMatch = /"chosen":(null|"\w+")}},"you"/;
const isSeated = (event: ArenaEvent): event is EventOf<"seated"> => event.type === "seated";
const firstFree = ({ seats }: ArenaRoom) => seats.indexOf(undefined);

export const arenaSabotages: readonly Sabotage[] = [
  {
    name: "unreported matches that restart forever",
    rules: ["AR10"],
    parts: () => seeing(() => ({ unreported: 0 })),
  },
  {
    name: "two players with the same label",
    rules: ["AR2"],
    parts: () =>
      changing(
        (room, events) => {
          const taken = room.seats.findIndex((player, seat) => player && !leavesSeat(room, events, seat));
          return taken < 0
            ? events
            : events.map((event) => (isSeated(event) ? { ...event, seat: taken } : event));
        },
        (room, event, at, version) => {
          const isDouble = room && isSeated(event) && room.seats[event.seat];
          const altered = isDouble ? { ...event, seat: firstFree(room) } : event;
          return arenaDecider.evolve(room, altered, at, version);
        },
      ),
  },
  {
    name: "new players whose labels are swapped",
    rules: ["AR1"],
    parts: () =>
      changing((_, events) => {
        const [first, second, ...others] = events.filter(isSeated);
        if (!second || others.length > 0) return events;
        const swapped = { ...first, seat: second.seat };
        const back = { ...second, seat: first.seat };
        return events.map((event) => (event === first ? swapped : event === second ? back : event));
      }),
  },
  {
    name: "one player more than the number of seats",
    rules: ["RM2", "AR4"],
    parts: () => {
      const roomy = (room: ArenaRoom) =>
        room.game ? {} : under(room, { seats: Math.min(room.terms.labels.length, room.settings.seats + 1) });
      return {
        arenas: {
          ...seeing(roomy).arenas!,
          evolve(room, event, at, version) {
            if (!room || !isSeated(event)) return arenaDecider.evolve(room, event, at, version);
            const { settings } = room;
            room.settings = { ...settings, seats: room.terms.labels.length };
            arenaDecider.evolve(room, event, at, version);
            room.settings = settings;
            return room;
          },
        },
      };
    },
  },
  {
    name: "losers who keep their seats",
    rules: ["AR5"],
    parts: () =>
      changing((_, events, command) => {
        if (command.type !== "move" && command.type !== "report") return events;
        const ended = events.findIndex(({ type }) => type === "ended");
        const isWhole = events.at(-1)?.type === "started";
        return ended < 0 || !isWhole ? events : [...events.slice(0, ended + 1), events.at(-1)!];
      }),
  },
  {
    name: "a free seat given to the back of the line",
    rules: ["AR3"],
    parts: () =>
      changing((room, events) => {
        const [first, ...others] = events.filter(isSeated);
        const last = room.line.toArray().at(-1);
        if (!first || others.length > 0 || last === undefined) return events;
        const { person } = room.entrants.get(last as EventOf<"seated">["ticket"])!;
        const fromBack = { ...first, ticket: last as EventOf<"seated">["ticket"], person };
        return events.map((event) => (event === first ? fromBack : event));
      }),
  },
  {
    name: "champions who never have to leave",
    rules: ["AR7"],
    parts: () => seeing((room) => under(room, { maxWins: null })),
  },
  {
    name: "winning streaks that survive a draw",
    rules: ["AR7", "AR11", "RM6"],
    scenario: { arenas: 3, arenaThinkMs: 20 },
    parts: () =>
      arenas({
        evolve(room, event, at, version) {
          const streaks = room?.seats.map((player) => player?.streak ?? 0);
          const after = arenaDecider.evolve(room, event, at, version);
          if (event.type !== "ended" || event.winner !== null) return after;
          for (const [seat, player] of after.seats.entries())
            if (player) after.seats[seat] = { ...player, streak: streaks![seat] };
          return after;
        },
      }),
  },
  {
    name: "draws after which the wrong player leaves",
    rules: ["AR6"],
    parts: () =>
      seeing((room) => {
        const { drawRule } = room.settings;
        return under(room, { drawRule: drawRule === "rematch" ? "both-leave" : "rematch" });
      }),
  },
  {
    name: "a match that stays without a result",
    rules: ["AR4"],
    parts: () =>
      changing(
        (_, events, { type }) =>
          type === "leave" ? events.filter((event) => event.type !== "ended") : events,
        (room, event, at, version) => {
          if (room && event.type === "left" && !room.line.has(event.ticket)) room.match = undefined;
          return arenaDecider.evolve(room, event, at, version);
        },
      ),
  },
  {
    name: "a second report of a match that is applied to the next one",
    rules: ["AR10", "AR4"],
    parts: () =>
      arenas(
        mistaking(arenaDecider, ({ match, last }, command) => {
          const isLate = match && command.type === "report" && command.match === last?.ended.match;
          return isLate ? { command: { ...command, match: match.id } } : {};
        }),
      ),
  },
  {
    name: "moves out of turn",
    rules: ["MT2"],
    parts: () =>
      arenas({
        decide(room, command, now) {
          const decision = arenaDecider.decide(room, command, now);
          const code = "refusal" in decision ? decision.refusal.code : undefined;
          if (!room || command.type !== "move" || code !== "move.out-of-turn") return decision;
          const seat = room.seats.findIndex((player) => player?.person === command.person);
          const isFree = room.match!.play!.legal(1 - seat).includes(command.move);
          const { moveBy } = room.match!;
          return isFree ? { events: [{ type: "moved", seat, move: command.move, moveBy }] } : decision;
        },
      }),
  },
  {
    name: "people who may let the clock run out any number of times",
    rules: ["AR9"],
    parts: () =>
      seeing(({ seats }) => ({ seats: seats.map((player) => player && { ...player, timeouts: 0 }) })),
  },
  {
    name: "turns that end slightly too early",
    rules: ["AR9"],
    parts: () => arenas(hurried(arenaDecider, 50)),
  },
  {
    name: "clocks that keep running while the server is down",
    rules: ["LS4"],
    parts: () => changing((_, events, { type }) => (type === "revive" ? [] : events)),
  },
  {
    name: "clocks that restart after a server start but not after an outage",
    rules: ["AR9"],
    parts: () => {
      const revived = new WeakSet<object>();
      return arenas({
        decide(room, command, now) {
          if (room && command.type === "revive" && revived.has(room.roster)) return { events: [] };
          if (room) revived.add(room.roster);
          return arenaDecider.decide(room, command, now);
        },
      });
    },
  },
  {
    name: "seats kept for players who are gone",
    rules: ["AR8"],
    parts: () => leasing(waitingLease, lasting(seatLease)),
  },
  {
    name: "seats lost after half the grace",
    rules: ["AR8"],
    parts: () => leasing(waitingLease, stretched(seatLease, 0.5)),
  },
  {
    name: "absent players noticed one grace too late",
    rules: ["AR8"],
    parts: () => leasing(waitingLease, { ...seatLease, spansPerWindow: 1 }),
  },
  {
    name: "people in an arena's line who never expire",
    rules: ["LS1"],
    parts: () => leasing(lasting(waitingLease), seatLease),
  },
  {
    name: "players who forfeit while they watch",
    rules: ["AR8", "LS1"],
    parts: () => ({ hold: () => ({ release() {} }) }),
  },
  {
    name: "players whose moves do not count as heartbeats",
    rules: ["AR8", "LS1"],
    parts: () => ({ heartbeat: () => {} }),
  },
  {
    name: "a feed that reveals a secret throw to everyone",
    rules: ["MT3"],
    parts: () =>
      showing((message, events) => {
        const moved = events.find((event) => event.type === "moved");
        return moved
          ? { ...message, json: message.json.replace('"move":null', `"move":"${moved.move}"`) }
          : message;
      }),
  },
  {
    name: "a feed that shows everyone the first player's chosen throw",
    rules: ["MT3"],
    parts: () => ({
      arenaLens(id, terms, look) {
        const lens = arenaLens(id, terms, look);
        const live: Lens["live"] = (entries, state) => {
          const messages = lens.live!(entries, state);
          const [player] = (state as ArenaRoom).seats;
          const [chosen = ""] = messages(player?.person).at(-1)!.json.match(chosenInMatch) ?? [];
          return (viewer) =>
            messages(viewer).map((message) => ({
              ...message,
              json: message.json.replace(chosenInMatch, chosen),
            }));
        };
        return { ...lens, live };
      },
    }),
  },
  {
    name: "a feed that omits the result of a match",
    rules: ["FD1"],
    parts: () =>
      showing((message) => ({
        ...message,
        json: message.json.replace(/{"type":"match-ended".*?}]?,"moves":\d+}},?/, ""),
      })),
  },
  {
    name: "a feed that shows an old table",
    rules: ["AR11"],
    parts: () => {
      let old = '"cells":[]';
      return showing((message) => {
        const [cells = old] = message.json.match(/"cells":\[[^\]]*\]/) ?? [];
        const json = message.json.replace(cells, old);
        old = cells;
        return { ...message, json };
      });
    },
  },
  {
    name: "results without a link to the previous match",
    rules: ["MT4"],
    parts: () =>
      changing((_, events) =>
        events.map((event) => (event.type === "ended" ? { ...event, previous: null } : event)),
      ),
  },
  {
    name: "a log that returns wrong results",
    rules: ["MT4"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async line(stream, version) {
            const line = await log.line(stream, version);
            return line?.replace('"reason":"played"', '"reason":"resigned"');
          },
        }),
    }),
  },
  {
    name: "a snapshot without the moves of the match",
    rules: ["AR11", "MT2", "MT4"],
    parts: () =>
      arenas(
        restoring(arenaDecider, (saved) => {
          const head = structuredClone(saved.head) as { match: { play: { moves: unknown[] } | null } | null };
          head.match?.play?.moves.splice(0);
          return { head };
        }),
      ),
  },
];

/** Whether these events make the person on this seat leave. */
function leavesSeat(room: ArenaRoom, events: readonly ArenaEvent[], seat: number): boolean {
  return events.some((event) => event.type === "left" && event.ticket === room.seats[seat]?.ticket);
}
