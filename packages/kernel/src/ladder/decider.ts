import type { Column, Decider, Saved } from "../decider.ts";
import { assert, asWord, earliest, type Millis, type PersonId } from "../values.ts";
import type { Delivered, ImportRow, LadderCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import { effectsOf } from "./effects.ts";
import type { LadderEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { CountedMatches } from "./matches/counted-matches.ts";
import { MatchStatuses } from "./matches/match-statuses.ts";
import { PendingMatches } from "./matches/pending-matches.ts";
import { Players } from "./players.ts";
import { ladderStatusOf, standingsAfter, unusedUntilIn } from "./questions.ts";
import { rowsOf } from "./rows.ts";
import {
  assembled,
  type ImportProgress,
  type Ladder,
  type MatchNumber,
  type PendingMatch,
  type PlayerNumber,
} from "./state.ts";

/** The host decides other commands between two chunks of an import. */
const importPauseMs = 1;

/** The ladder decider for the host. */
export const ladderDecider: Decider<Ladder, LadderCommand, LadderEvent> = {
  decide,
  evolve,
  tick: { type: "tick" },
  keys: { fingerprint, formerFingerprint, areKept: true },
  snapshots: { save, restore },
  rows: rowsOf,

  nextDue(ladder) {
    const { lapses, pending, importing, imports } = ladder;
    lapses.tidy(pending.size);
    const chunk = importing && imports.get(importing.digest)!.at + importPauseMs;
    return earliest(lapses.next, chunk, unusedUntilIn(ladder));
  },

  inbox: {
    receive: (from, deliveries) => ({
      type: "deliver",
      from,
      deliveries: deliveries.map(({ version, body }) => ({ ...body, version }) as unknown as Delivered),
    }),
  },

  effects: (_ladder, events) => events.flatMap(effectsOf),

  listing(ladder) {
    const { terms, settings, players, counting } = ladder;
    const [leader] = standingsAfter(ladder, undefined, 1);
    return {
      status: ladderStatusOf(ladder),
      summary: {
        ...{ terms, settings, players: players.present, matches: counting },
        leader: leader ? { name: leader.name, rating: leader.rating } : null,
      },
    };
  },
};

function formerFingerprint(command: LadderCommand): string | undefined {
  if (command.type !== "create" || !command.formerDefaults) return undefined;
  return fingerprint({ ...command, settings: { ...command.settings, ...command.formerDefaults } });
}

function save(ladder: Ladder): Saved {
  const { terms, settings, players, standings, counted, statuses, counting, importing } = ladder;
  return {
    head: {
      shape,
      ...{ terms, settings, counting, turns: counted.lastOrder, importing: importing ?? null },
      pending: [...ladder.pending],
      imports: [...ladder.imports],
      sources: [...ladder.sources],
      registrations: [...ladder.registrations],
      ...(ladder.endedAt !== undefined && { endedAt: ladder.endedAt }),
      ...(ladder.isClosed && { isClosed: true }),
    },
    columns: {
      ...players.save(),
      ...counted.save(),
      banned: Uint32Array.from(ladder.banned),
      statuses: statuses.save(),
      order: standings.save(),
    },
  };
}

function fingerprint(command: LadderCommand): string {
  switch (command.type) {
    case "create":
      return `create ${JSON.stringify([command.rating, command.settings])}`;
    case "configure":
      return `configure ${JSON.stringify(command.changes)}`;
    case "enrol": {
      const { person, name, rating = null, asker } = command;
      // Leave out the name of people who join themselves: it may have changed by the time of a retry.
      return `enrol ${JSON.stringify(asker.by === person ? [person, rating] : [person, rating, name])}`;
    }
    case "leave":
    case "ban":
    case "unban":
      return `${command.type} ${command.person}`;
    case "report":
      return `report ${command.result.players.map(asWord).join(" ")} ${command.result.scores.join(" ")}`;
    case "confirm":
    case "decline":
    case "void":
      return `${command.type} ${command.match}`;
    case "import":
      return `import ${command.digest}`;
    default:
      return command.type;
  }
}

/** The shape of snapshots. A snapshot of another shape is not restored; the state is rebuilt from the log. */
const shape = 2;

type Head = { readonly shape: number } & Pick<Ladder, "terms" | "settings" | "counting"> & {
    readonly turns: number;
    readonly pending: readonly [MatchNumber, PendingMatch][];
    readonly imports: readonly [string, ImportProgress][];
    readonly importing: { readonly digest: string; readonly rows: readonly ImportRow[] } | null;
    readonly sources: readonly [string, number][];
    /** Missing in snapshots from before ladders had chats. */
    readonly registrations?: readonly [PersonId, number][];
    readonly endedAt?: Millis;
    readonly isClosed?: true;
  };

function restore({ head, columns: saved }: Saved): Ladder {
  const columns = saved as Record<string, Column>;
  const given = head as unknown as Head;
  assert(given.shape === shape, "a snapshot of a ladder of an unknown shape");
  const { terms, settings, counting, importing } = given;
  return assembled(
    {
      ...{ terms, settings, counting, importing: importing ?? undefined },
      players: Players.restore(columns),
      banned: new Set(columns.banned as Iterable<PlayerNumber>),
      counted: CountedMatches.restore(columns, given.turns),
      statuses: new MatchStatuses(columns.statuses as Uint8Array),
      pending: new PendingMatches(given.pending),
      imports: new Map(given.imports),
      sources: new Map(given.sources),
      registrations: new Map(given.registrations),
      endedAt: given.endedAt,
      isClosed: given.isClosed ?? false,
    },
    columns.order as Uint32Array,
  );
}
