import {
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  type LadderRows,
  type LadderSettings,
  ladderDecider,
  type MatchNumber,
  type Millis,
  type PersonId,
  type PlayerNumber,
  type Saved,
} from "@openseat/kernel";
import {
  type Append,
  type AppendOutcome,
  type Log,
  MemoryLog,
  type Outgoing,
  type StreamName,
} from "@openseat/server";
import { deciding, hurried, ladders, mistaking, restoring } from "./rules.ts";
import { altered, edited, forgetKeys, type Sabotage } from "./sabotage.ts";

type EventOf<Type extends LadderEvent["type"]> = Extract<LadderEvent, { readonly type: Type }>;
type Reported = Pick<EventOf<"reported">, "players" | "scores" | "reporter">;

/** Rules that receive an altered command or see an altered ladder. */
const misled = (
  change: (ladder: Ladder, command: LadderCommand) => { state?: Partial<Ladder>; command?: LadderCommand },
) => ladders(mistaking(ladderDecider, change));

/** Rules whose decisions are changed afterwards. */
const changing = (
  change: (
    ladder: Ladder,
    events: readonly LadderEvent[],
    now: Millis,
    command: LadderCommand,
  ) => readonly LadderEvent[],
) => ladders(deciding(ladderDecider, (ladder, events, command, now) => change(ladder, events, now, command)));

/** Snapshots that lack some data. */
const forgetting = (edit: (saved: Saved) => Partial<Saved>) => ladders(restoring(ladderDecider, edit));

const under = ({ settings }: Ladder, changes: Partial<LadderSettings>) => ({
  settings: { ...settings, ...changes },
});

/** Leaves the last match out of the recount. */
function shortened({ recount, ...voided }: EventOf<"voided">): LadderEvent {
  if (!recount || recount.turns.length === 0) return { recount, ...voided };
  const { deviation, volatility } = recount;
  const cut = <T>(values: readonly T[], by: number) => values.slice(0, -by);
  return {
    ...voided,
    recount: {
      turns: cut(recount.turns, 1),
      players: cut(recount.players, 2),
      before: cut(recount.before, 2),
      change: cut(recount.change, 2),
      ...(deviation && volatility && { deviation: cut(deviation, 2), volatility: cut(volatility, 2) }),
    },
  };
}

/** As if the opponent had confirmed the match. */
function confirmed(ladder: Ladder, match: MatchNumber, now: Millis): readonly LadderEvent[] {
  const { players, reporter } = ladder.pending.get(match)!;
  const by: PersonId = ladder.players.personOf(players[reporter === "first" ? 1 : 0]);
  const decision = ladderDecider.decide(ladder, { type: "confirm", match, by }, now);
  return "events" in decision ? decision.events : [];
}

/** LD14: as a separate match that counts at once. */
function countedAlone(ladder: Ladder, played: Reported, now: Millis): readonly LadderEvent[] {
  const [first, second] = played.players.map((player) => ladder.players.personOf(player));
  const result = { players: [first, second], scores: played.scores } as const;
  const decision = ladderDecider.decide(
    ladder,
    { type: "report", result, asker: { by: "service", role: "service" } },
    now,
  );
  if (!("events" in decision)) return [];
  return decision.events.map((event) =>
    event.type === "counted" ? { ...event, reporter: played.reporter } : event,
  );
}

/** The ratings before the latest match, as if it had not been played. */
function staleFor({ counted, players }: Ladder, event: EventOf<"counted">): EventOf<"counted">["before"] {
  const latest = counted.size > 0 ? counted.get(counted.size - 1) : undefined;
  const had = (player: PlayerNumber) => {
    const side = latest?.players.indexOf(player) ?? -1;
    return side < 0 ? players.ratingOf(player) : latest!.before[side].rating;
  };
  return [had(event.players[0]), had(event.players[1])];
}

function setBack({ players, standings }: Ladder, { players: both, before }: EventOf<"counted">): void {
  for (const [which, player] of both.entries()) {
    if (players.ratingOf(player) === before[which]) continue;
    players.rate(player, { ...players.contender(player), rating: before[which] });
    standings.moved(player);
  }
}

/** Drops the rows of some entries, and ignores changes to missing rows. */
class LeakyStore extends MemoryLog {
  readonly #missing = new Set<string>();

  override append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    return super.append(appends.map((append) => this.#leak(append)));
  }

  #leak({ rows: given, ...append }: Append): Append {
    const rows = given as LadderRows | undefined;
    if (!rows) return append;
    const { stream } = append;
    if (append.after % 5 === 4) {
      for (const [match, , turn] of rows.matches)
        this.#missing.add(`${stream} match ${match}`).add(`${stream} turn ${turn}`);
      return append;
    }
    const statuses = rows.statuses.filter(([match]) => !this.#missing.has(`${stream} match ${match}`));
    const recounts = rows.recounts.filter(([, turn]) => !this.#missing.has(`${stream} turn ${turn}`));
    return { ...append, rows: { ...rows, statuses, recounts } };
  }
}

const isLadder = (stream: StreamName) => stream.startsWith("ladder/");

/** For worlds with only ladders. */
export const ladderSabotages: readonly Sabotage[] = [
  {
    name: "a recount that skips a match",
    rules: ["LD8"],
    parts: () =>
      changing((_, events) => events.map((event) => (event.type === "voided" ? shortened(event) : event))),
  },
  {
    name: "matches that are voided after the deadline",
    rules: ["LD8"],
    parts: () => misled((ladder) => ({ state: under(ladder, { undoWindowMs: 1e9 }) })),
  },
  {
    name: "matches that anyone may void",
    rules: ["LD8", "AU2"],
    parts: () =>
      misled((_, command) =>
        command.type === "void"
          ? { command: { ...command, asker: { ...command.asker, role: "operator" } } }
          : {},
      ),
  },
  {
    name: "a report that counts twice with one key",
    rules: ["LD1"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async loadSnapshot(stream) {
            const snapshot = await log.loadSnapshot(stream);
            return isLadder(stream) ? edited(snapshot, forgetKeys) : snapshot;
          },
        }),
    }),
  },
  {
    name: "rows missing from their entry's transaction",
    rules: ["LD2", "LD11"],
    parts: () => ({ store: new LeakyStore() }),
  },
  {
    name: "matches stored with only one of the two ratings",
    rules: ["LD2", "LD11"],
    parts: () =>
      ladders({
        rows(ladder, entries) {
          const rows = ladderDecider.rows!(ladder, entries) as LadderRows;
          return { ...rows, ratings: rows.ratings.filter((_, index) => index % 2 === 0) };
        },
      }),
  },
  {
    name: "rows that keep their old ratings after a recount",
    rules: ["LD2", "LD11"],
    parts: () =>
      ladders({ rows: (ladder, entries) => ({ ...ladderDecider.rows!(ladder, entries), recounts: [] }) }),
  },
  {
    name: "a lapsed match that counts",
    rules: ["LD9"],
    parts: () =>
      changing((ladder, events, now) =>
        events.flatMap((event) => (event.type === "lapsed" ? confirmed(ladder, event.match, now) : [event])),
      ),
  },
  {
    name: "matches that count without confirmation",
    rules: ["LD9"],
    parts: () => misled((ladder) => ({ state: under(ladder, { confirm: false }) })),
  },
  {
    name: "a ban that has no effect",
    rules: ["LD13"],
    parts: () => misled((_, command) => (command.type === "enrol" ? { state: { banned: new Set() } } : {})),
  },
  {
    name: "a ladder snapshot that loses who is banned",
    rules: ["LD13"],
    parts: () => forgetting(({ columns }) => ({ columns: { ...columns, banned: new Uint32Array() } })),
  },
  {
    name: "a report with another score that counts unconfirmed",
    rules: ["LD14"],
    parts: () =>
      changing((ladder, events, now) =>
        events.flatMap((event) =>
          event.type === "reported" && event.disputes !== undefined
            ? countedAlone(ladder, event, now)
            : [event],
        ),
      ),
  },
  {
    name: "a match that counts twice when both players report the same score",
    rules: ["LD14"],
    parts: () =>
      changing((ladder, events, now, { type }) => {
        const [event] = events;
        const isRepeat =
          type === "report" && event.type === "counted" && ladder.pending.get(event.match) !== undefined;
        return isRepeat ? countedAlone(ladder, event, now) : events;
      }),
  },
  {
    name: "a dispute in which both reports count",
    rules: ["LD14"],
    parts: () =>
      changing((_, events) =>
        events[0]?.type === "counted" ? events.filter(({ type }) => type !== "declined") : events,
      ),
  },
  {
    name: "matches that lapse slightly too early",
    rules: ["LD9"],
    parts: () => ladders(hurried(ladderDecider, 50)),
  },
  {
    name: "a log that never finds a ladder due",
    rules: ["LD9"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          due: async (now, limit) => (await log.due(now, limit)).filter((stream) => !isLadder(stream)),
        }),
    }),
  },
  {
    name: "ratings computed with the wrong K",
    rules: ["LD3"],
    parts: () =>
      misled(({ terms }) => {
        const k = terms.rating.k.map((step) => ({ ...step, k: step.k + 1 }));
        return { state: { terms: { ...terms, rating: { ...terms.rating, k } } } };
      }),
  },
  {
    name: "a snapshot that loses rating deviations",
    rules: ["LD10"],
    parts: () =>
      forgetting(({ columns }) => {
        const deviation = columns.deviation.map((value: number) => Math.max(value, 300));
        return { columns: { ...columns, deviation } };
      }),
  },
  {
    name: "a report that undoes the changes of the previous one",
    rules: ["LD5"],
    parts: () => ({
      ladders: {
        ...changing((ladder, events) =>
          events.map((event) =>
            event.type === "counted" ? { ...event, before: staleFor(ladder, event) } : event,
          ),
        ).ladders!,
        evolve(ladder, event, at, version) {
          if (ladder && event.type === "counted") setBack(ladder, event);
          return ladderDecider.evolve(ladder, event, at, version);
        },
      },
    }),
  },
  {
    name: "an import that starts over after a restart",
    rules: ["LD5"],
    parts: () =>
      forgetting((saved) => {
        const head = structuredClone(saved.head) as { imports: [string, { done: number }][] };
        for (const [, progress] of head.imports) progress.done = 0;
        return { head };
      }),
  },
  {
    name: "a ladder snapshot that loses a version of its players",
    rules: ["LD4"],
    parts: () =>
      forgetting(({ columns }) => {
        const version = columns.version.map((value: number) => Math.max(0, value - 1));
        return { columns: { ...columns, version } };
      }),
  },
  {
    name: "a snapshot that sorts the standings by enrolment",
    rules: ["LD7"],
    parts: () => forgetting(({ columns }) => ({ columns: { ...columns, order: columns.order.toSorted() } })),
  },
];

/** The outbox is in the process's memory instead of the log. */
export function outboxInMemory(log: Log): Log {
  const waiting: Outgoing[] = [];
  let sent = 0;
  return altered(log, {
    async commit(wanted, decide) {
      let decided: ReturnType<typeof decide> = [];
      const outcomes = await log.commit(wanted, (tails) => {
        decided = decide(tails);
        return decided.map((append) => append && { ...append, effects: [] });
      });
      for (const [index, append] of decided.entries()) {
        if (!append || outcomes[index] !== "committed") continue;
        const { stream: from, effects = [] } = append;
        for (const { version, to, body } of effects)
          waiting.push({ number: ++sent, from, version, to: to as StreamName, body });
      }
      return outcomes;
    },
    outbox: async (after) => waiting.filter(({ number }) => number > after),
    async delivered(numbers) {
      for (const number of numbers)
        waiting.splice(
          waiting.findIndex((each) => each.number === number),
          1,
        );
    },
  });
}

/** For worlds whose arenas feed ladders. */
export const deliverySabotages: readonly Sabotage[] = [
  {
    name: "a ladder that forgets what it has received",
    rules: ["LD12"],
    parts: () =>
      ladders({
        evolve: (ladder, event, at, version) =>
          ladder && event.type === "received" ? ladder : ladderDecider.evolve(ladder, event, at, version),
      }),
  },
  {
    name: "a ladder snapshot that loses what was received",
    rules: ["LD12"],
    parts: () => ({
      ...forgetting(({ head }) => ({ head: { ...head, sources: [] } })),
      // Receipts are slow; otherwise a snapshot would hardly ever fall between an arrival and its receipt.
      wire: (log) =>
        altered(log, {
          async delivered(numbers) {
            for (let pause = 0; pause < 5; pause++) await log.deadLetters(undefined, 1);
            await log.delivered(numbers);
          },
        }),
    }),
  },
  {
    name: "a delivery that is marked as done before it arrives",
    rules: ["LD12"],
    parts: () => ({
      wire: (log) =>
        altered(log, {
          async outbox(after, limit) {
            const page = await log.outbox(after, limit);
            if (page.length > 0) await log.delivered(page.map(({ number }) => number));
            return page;
          },
        }),
    }),
  },
  {
    name: "effects not stored with their entry",
    rules: ["LD12"],
    parts: () => ({ wire: outboxInMemory }),
  },
  {
    name: "a delivery loop in which the latest message overtakes the others",
    rules: ["LD12"],
    parts: () => ({
      wire: (log) =>
        altered(log, { outbox: async (after, limit) => (await log.outbox(after, limit)).slice(-1) }),
    }),
  },
  {
    name: "a delivery loop that never marks anything as done",
    rules: ["LD12"],
    parts: () => ({ wire: (log) => altered(log, { delivered: async () => {} }) }),
  },
  {
    name: "results that arrive with the players swapped",
    rules: ["LD12"],
    parts: () =>
      misled((_, command) => {
        if (command.type !== "deliver") return {};
        const deliveries = command.deliveries.map((delivery) => {
          if (!("scores" in delivery)) return delivery;
          const [first, second] = delivery.scores;
          return { ...delivery, scores: [second, first] as const };
        });
        return { command: { ...command, deliveries } };
      }),
  },
];
