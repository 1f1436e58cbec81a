import type { LadderRows } from "@openseat/kernel";
import type { Append, AppendOutcome, StreamName } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Result, Statement } from "./connection/session.ts";
import { ladderStatements } from "./ladder-tables.ts";

const statement = statementsIn(new URL("./sql/appending.sql", import.meta.url));

/** Between the JSON texts of several streams: JSON never holds it as it is. An array would have to mark every quote in them. */
const separator = "\x1e";

/**
 * Until the transaction ends, nobody else decides in these streams. By name, so that nobody waits for somebody who waits
 * for them. Those that are not there yet cannot be locked.
 */
export function lockStatement(streams: readonly StreamName[]): Statement {
  return {
    text: "SELECT number, name, version FROM streams WHERE name = ANY($1) ORDER BY name FOR UPDATE",
    values: [streams],
  };
}

/**
 * Compare-and-append (LG1), each stream by itself; no stream may be in it twice. To be sent in one transaction, in this
 * order: the entries with their effects, then the rows of ladders. More than one statement needs a transaction that has
 * begun: rows without their entries would be worse than nothing.
 */
export function appendStatements(appends: readonly Append[]): Statement[] {
  const rows = appends.flatMap(({ stream, rows }) =>
    rows ? ladderStatements(stream, rows as LadderRows) : [],
  );
  return [{ text: appending, values: [...columnsOf(appends), ...effectsOf(appends)] }, ...rows];
}

/** Of the results of those statements, what became of each append. */
export function outcomesOf(appends: readonly Append[], [entries]: readonly Result[]): AppendOutcome[] {
  const appended = new Set(entries.rows.map(({ name }) => name));
  return appends.map(({ stream }) => (appended.has(stream) ? "appended" : "conflict"));
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

/**
 * New streams are numbered in the order given, and added in that of their names: two nodes that add the same ones would
 * wait for each other else. What was made meanwhile, or is at another version, is left as it is.
 */
const appending = statement("append");
