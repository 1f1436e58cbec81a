import { arenaDecider, gameDecider, type Millis, queueDecider } from "@openseat/kernel";
import { arenas, deciding, games, hurried, queues } from "./rules.ts";
import type { Sabotage } from "./sabotage.ts";

/** Faults that only an exhaustive search finds: missing snapshot data and wrong due times. */
export const exhaustiveFaults: readonly Sabotage[] = [
  {
    name: "a restart after which claims and sessions never expire",
    rules: ["LG5"],
    parts: () => ({
      queues: {
        ...queueDecider,
        snapshots: {
          ...queueDecider.snapshots,
          restore(saved) {
            const room = queueDecider.snapshots.restore(saved);
            return Object.assign(room, { agenda: Object.assign(room.agenda, { due: () => [] }) });
          },
        },
      },
    }),
  },
  {
    name: "rules that change state while they refuse",
    rules: ["ID4"],
    parts: () => ({
      games: {
        ...gameDecider,
        decide(room, command, now) {
          const decision = gameDecider.decide(room, command, now);
          if (room && "refusal" in decision && decision.refusal.code === "room.full") room.seated++;
          return decision;
        },
      },
    }),
  },
  {
    name: "a game that stays due forever after its end",
    rules: ["RM7"],
    parts: () => games({ nextDue: (room) => room.terms.endsAt ?? gameDecider.nextDue(room) }),
  },
  {
    name: "a game that ends one millisecond early",
    rules: ["RM7"],
    parts: () => games({ decide: hurried(gameDecider, 1).decide }),
  },
  {
    name: "sessions that end one millisecond late",
    rules: ["AD8"],
    parts: () =>
      queues(
        deciding(queueDecider, (_, events) =>
          events.map((event) =>
            event.type === "claimed" ? { ...event, until: (event.until + 1) as Millis } : event,
          ),
        ),
      ),
  },
  {
    name: "an arena that does not send draws to its ladder",
    rules: ["LD12"],
    parts: () =>
      arenas({
        effects: (room, events) =>
          events.some((event) => event.type === "ended" && event.winner === null)
            ? []
            : arenaDecider.effects!(room, events),
      }),
  },
];
