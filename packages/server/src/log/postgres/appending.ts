import type { LadderRows } from "@openseat/kernel";
import type { Append, StreamName } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Result, Statement } from "./connection/session.ts";
import { ladderStatements } from "./ladder-tables.ts";

const statement = statementsIn(new URL("./sql/appending.sql", import.meta.url));

/** Separates the JSON texts of several streams, because JSON never contains it. In an array, every quote would need escaping. */
const separator = "\x1e";

/** Locks streams in the order of their names, so that two nodes never deadlock. New streams have no row to lock. */
export function lockStatement(streams: readonly StreamName[]): Statement {
  return {
    text: "SELECT number, name, version FROM streams WHERE name = ANY($1) ORDER BY name FOR UPDATE",
    values: [streams],
  };
}

/**
 * Compare-and-append (LG1) for each stream separately. Send them in one transaction, in this order; each stream may occur only
 * once.
 */
export function appendStatements(appends: readonly Append[]): Statement[] {
  const rows = appends.flatMap(({ stream, rows }) =>
    rows ? ladderStatements(stream, rows as LadderRows) : [],
  );
  return [{ text: statement("append"), values: [...columnsOf(appends), ...effectsOf(appends)] }, ...rows];
}

/** The streams that were at the expected version, from the results of those statements. */
export function appendedIn([entries]: readonly Result[]): ReadonlySet<StreamName> {
  return new Set(entries.rows.map(({ name }) => name));
}

function columnsOf(appends: readonly Append[]): unknown[] {
  return [
    appends.map(({ stream }) => stream),
    appends.map(({ after }) => after),
    appends.map(({ lines }) => lines.length),
    appends.map(({ lines }) => lines.join("\n")).join(separator),
    appends.map(({ hash }) => hash),
    appends.map(({ due }) => due ?? null),
    appends.map(({ listing }) => listing.status),
    appends.map(({ listing }) => JSON.stringify(listing.summary)).join(separator),
    appends.map(({ creator }) => creator ?? null),
  ];
}

function effectsOf(appends: readonly Append[]): unknown[] {
  const all = appends.flatMap(({ stream, effects = [] }) => effects.map((effect) => ({ stream, ...effect })));
  return [
    all.map(({ stream }) => stream),
    all.map(({ version }) => version),
    all.map(({ to }) => to),
    all.map(({ body }) => JSON.stringify(body)).join(separator),
  ];
}
