import type { CountOrder, LadderRows, MatchRow } from "@openseat/kernel";
import type { LadderStore } from "../ladder-store.ts";
import type { StreamName } from "../log.ts";
import { ladderRowKinds, matchColumns, matchOf, matchRatings, stepsMax } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";
import type { Statement } from "./connection/session.ts";

/** Selects the ladder if this transaction has written to it: rows of conflicting entries must not be written either. */
const written = "streams.name = $1 AND streams.xmin = pg_current_xact_id()::xid";

// Find each row by its whole key. PostgreSQL plans while the ladder is empty, so it would otherwise choose to scan the whole
// ladder.
const statement = statementsIn(new URL("./sql/ladders.sql", import.meta.url), {
  ...{ written, stepsMax, matchColumns, matchRatings },
});

/** Number of key columns, which come first. */
const keyWidth = { players: 1, standings: 1, matches: 1, statuses: 1, ratings: 2, recounts: 2 } as const;

/** Rows per statement. With more, the statement would exceed its timeout. */
const rowsMax = 5_000;

/** Send these after the entries, in the same transaction. */
export function ladderStatements(ladder: StreamName, rows: LadderRows): Statement[] {
  return ladderRowKinds.flatMap((kind) => {
    const all = once(kind, rows[kind]);
    const pages = Array.from({ length: Math.ceil(all.length / rowsMax) }, (_, page) =>
      all.slice(page * rowsMax, (page + 1) * rowsMax),
    );
    return pages.map((page) => {
      const columns = page[0].map((_, column) => page.map((row) => row[column]));
      return { text: statement(kind), values: [ladder, ...columns] };
    });
  });
}

type AnyRow = readonly (string | number | null)[];

/** One statement can write a row only once: of several rows with the same key, the last wins. */
function once(kind: keyof LadderRows, rows: readonly AnyRow[]): readonly AnyRow[] {
  const kept = new Map<string, AnyRow>();
  for (const row of rows) {
    const key = row.slice(0, keyWidth[kind]).join();
    const first = kept.get(key);
    kept.set(key, first && kind === "matches" ? counted(first, row) : row);
  }
  return [...kept.values()];
}

/** For a match that was reported before, only the turn, the status and the time of the change are new. */
function counted(reported: AnyRow, row: AnyRow): AnyRow {
  const [, , turn, status] = row as unknown as MatchRow;
  return reported.with(2, turn).with(3, status).with(-1, row.at(-1)!);
}

export function laddersOn(connections: Connections): LadderStore {
  return {
    async matches({ stream, status, order, beyond, limit }) {
      const [comparison, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
      const from = beyond ?? (order === "newest" ? Number.MAX_SAFE_INTEGER : 0);
      // The status is inlined and repeated, so that the index of uncounted matches is used.
      const ofStatus = status === undefined ? "" : `AND m.status = '${status}'`;
      const ofIndex = status === undefined || status === "counted" ? "" : "AND m.status <> 'counted'";
      const text = `SELECT ${matchColumns} FROM matches AS m ${matchRatings}
        WHERE m.ladder = (SELECT number FROM streams WHERE name = $1) ${ofStatus} ${ofIndex}
          AND m.number ${comparison} $2
        ORDER BY m.number ${direction} LIMIT $3`;
      return (await connections.rows(text, [stream, from, limit])).map(matchOf);
    },

    /** Follows the player's matches backwards: each row has the turn of the player's previous match. */
    async played({ stream, player, from, opponent, limit }) {
      const rows = await connections.rows(statement("walk"), [stream, from, player, opponent ?? null, limit]);
      const steps = rows.toSorted((a: Step, b: Step) => a.step - b.step);
      const last = steps.at(-1) as Step | undefined;
      // Otherwise the walk ended because there was no earlier match.
      const hasStopped = last && (last.found >= limit || last.step >= stepsMax);
      const matches = steps.filter(({ wanted }: Step) => wanted).map(matchOf);
      return { matches, next: hasStopped ? last.previous : null };
    },

    async playersNamed(stream, start, limit) {
      return (await connections.rows(statement("named"), [stream, start, limit])).map(({ number }) => number);
    },
  };
}

interface Step {
  readonly step: number;
  readonly found: number;
  readonly wanted: boolean;
  readonly previous: CountOrder | null;
}
