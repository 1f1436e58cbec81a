import {
  type Directory,
  type DirectoryEvent,
  directoryDecider,
  type GameRoom,
  gameDecider,
  type Ladder,
  type LadderEvent,
  ladderDecider,
  type Millis,
  nameOf,
} from "@openseat/kernel";
import type { Parts } from "../src/parts.ts";
import { arenas, deciding, directories, games, ladders } from "./rules.ts";
import type { Sabotage } from "./sabotage.ts";

/** Ladder rules whose decisions are changed afterwards, except for those of the clock. */
function reporting(
  change: (ladder: Ladder, events: readonly LadderEvent[]) => readonly LadderEvent[],
): Partial<Parts> {
  return ladders(
    deciding(ladderDecider, (ladder, events, { type }) =>
      type === "tick" ? events : change(ladder, events),
    ),
  );
}

const talking = (
  change: (events: readonly DirectoryEvent[], directory: Directory) => readonly DirectoryEvent[],
) => directories(deciding(directoryDecider, (directory, events) => change(events, directory)));

const isCrowded = (event: DirectoryEvent) => event.type === "duel-dropped" && event.reason === "crowded";

/** When the room would end if nobody had used it. */
function usedUntil(room: GameRoom): Millis | undefined {
  const { terms, roster, endedAt } = room;
  return roster.tickets === 0 || endedAt !== undefined ? undefined : ((terms.createdAt + 2_000) as Millis);
}

/** LM7, in worlds with games. */
export const unusedSabotages: readonly Sabotage[] = [
  {
    name: "an unused game that never ends",
    rules: ["LM7", "RM7"],
    parts: () =>
      games({
        nextDue: (room) => (room.endedAt === undefined ? (room.terms.endsAt ?? undefined) : undefined),
      }),
  },
  {
    name: "a used game that ends as unused",
    rules: ["LM7", "RM7"],
    parts: () =>
      games({
        nextDue: (room) => usedUntil(room) ?? gameDecider.nextDue(room),
        decide(room, command, now) {
          const isLate = room && command.type === "tick" && (usedUntil(room) ?? Infinity) <= now;
          if (!isLate) return gameDecider.decide(room, command, now);
          return { events: [{ type: "ended", reason: "unused", seated: room.seated, waiting: 0 }] };
        },
      }),
  },
];

/** LM7, in worlds with arenas. */
export const unusedArenaSabotages: readonly Sabotage[] = [
  {
    name: "an unused arena that never ends",
    rules: ["LM7", "AR9"],
    parts: () => arenas({ nextDue: (room) => room.match?.moveBy ?? undefined }),
  },
];

/** LM6, in worlds with ladders. */
export const crowdedLadderSabotages: readonly Sabotage[] = [
  {
    name: "a void that recounts more matches than a person may",
    rules: ["LD8"],
    parts: () =>
      ladders({
        decide(ladder, command, now) {
          const decision = ladderDecider.decide(ladder, command, now);
          const isTooOld = "refusal" in decision && decision.refusal.code === "match.too-old";
          if (!isTooOld || command.type !== "void") return decision;
          const asker = { ...command.asker, role: "operator" } as const;
          return ladderDecider.decide(ladder, { ...command, asker }, now);
        },
      }),
  },
  {
    name: "an unlimited number of waiting reports",
    rules: ["LM6"],
    parts: () => reporting((_, events) => events.filter(({ type }) => type !== "lapsed")),
  },
  {
    name: "a full ladder that drops the newest report",
    rules: ["LM6"],
    parts: () =>
      reporting(({ pending }, events) => {
        const newest = [...pending].at(-1)?.[0];
        return events.map((event) =>
          event.type === "lapsed" && newest ? { ...event, match: newest } : event,
        );
      }),
  },
];

/** LM6, in worlds in which people talk. */
export const crowdedChatSabotages: readonly Sabotage[] = [
  {
    name: "an unlimited number of duels",
    rules: ["LM6"],
    parts: () => talking((events) => events.filter((event) => !isCrowded(event))),
  },
  {
    name: "a full directory that drops the newest duel",
    rules: ["LM6"],
    parts: () =>
      talking((events, directory) =>
        events.map((event) => {
          const newest = [...directory.duels.allOpen].at(-1);
          if (!newest || event.type !== "duel-dropped" || !isCrowded(event)) return event;
          const { number: duel, players } = newest;
          const names = [nameOf(directory, players[0]), nameOf(directory, players[1])] as const;
          return { ...event, duel, players, names };
        }),
      ),
  },
  {
    name: "a person whose challenges cause unlimited notices",
    rules: ["LM6"],
    parts: () =>
      talking((events) =>
        events.map((event) => (event.type === "duel-opened" ? { ...event, tells: [1] } : event)),
      ),
  },
  {
    name: "an unlimited number of nicknames",
    rules: ["LM6"],
    parts: () =>
      talking((events) =>
        events.some(({ type }) => type === "named")
          ? events.filter(({ type }) => type !== "forgotten")
          : events,
      ),
  },
  {
    name: "an unlimited number of conversations",
    rules: ["LM6", "CH6"],
    parts: () =>
      talking((events) =>
        events.some(({ type }) => type === "met")
          ? events.filter(({ type }) => type !== "conversation-forgotten")
          : events,
      ),
  },
];
