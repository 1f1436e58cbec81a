import { LogUnusable } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Session } from "./connection/session.ts";
import { migrations } from "./migrations.ts";

/** `foundation` records which migrations have run, so it cannot be a migration itself. */
const statement = statementsIn(new URL("./sql/foundation.sql", import.meta.url));

export const knownSchema = migrations.length;

export interface Schema {
  readonly version: number;
  /** The oldest schema whose servers can still use the tables. */
  readonly compatibleFrom: number;
  /** Why no server may use the tables, in a sentence, for example during a copy. */
  readonly closed: string | null;
}

/** Must be the same in every version, so that nodes migrate one after another. */
const migrationLock = 7_305_806_117;

/** `onChange` gets a sentence if tables were created or migrated, or are newer. */
export async function migrate(
  session: Session,
  onChange: (sentence: string) => void = () => {},
  steps: typeof migrations = migrations,
): Promise<void> {
  const known = steps.length;
  const found = await session.transaction(async () => {
    await session.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    const before = await schemaOf(session);
    if (before) assertUsable(before, known);
    if ((before?.version ?? 0) < known) await bringUp(session, before, steps);
    return before;
  });
  if (!found) onChange(`The database was empty: its tables have been created (schema ${known}).`);
  else if (found.version < known)
    onChange(`The database was of schema ${found.version} and has been migrated to ${known}.`);
  else if (found.version > known)
    onChange(
      `The database is of schema ${found.version}; this server knows ${known} and can still use it. Please upgrade the server soon.`,
    );
}

/** Undefined for a database without Openseat's tables. */
export async function schemaOf(session: Session): Promise<Schema | undefined> {
  const [{ present }] = await session.rows("SELECT to_regclass('openseat.schema_version') AS present");
  if (present === null) return undefined;
  const text = `SELECT version, compatible_from AS "compatibleFrom", closed FROM openseat.schema_version`;
  const [found] = await session.rows(text);
  if (!found || found.version < 0) throw new LogUnusable(rowsLacking);
  return found;
}

/** The rows that are missing after a partial restore. */
export const rowsLacking =
  "Openseat's tables in this database are incomplete. Please restore all of them, or use an empty database.";

export function assertUsable({ version, compatibleFrom, closed }: Schema, known = knownSchema): void {
  if (closed !== null) throw new LogUnusable(closed);
  if (compatibleFrom <= known) return;
  throw new LogUnusable(
    `The database was written by a newer Openseat (schema ${version}, for servers that know ${compatibleFrom} or later; this one knows ${known}). Please start that version or a later one.`,
  );
}

async function bringUp(
  session: Session,
  before: Schema | undefined,
  steps: typeof migrations,
): Promise<void> {
  if (!before) await lay(session);
  let compatibleFrom = before?.compatibleFrom ?? 1;
  for (let number = before?.version ?? 0; number < steps.length; number++) {
    const { breaks, sql } = steps[number];
    await session.query(sql);
    if (breaks) compatibleFrom = number + 1;
  }
  const update = `UPDATE openseat.schema_version SET version = ${steps.length}, compatible_from = ${compatibleFrom}`;
  await session.query(update);
}

async function lay(session: Session): Promise<void> {
  const [{ isThere }] = await session.rows(`SELECT to_regnamespace('openseat') IS NOT NULL AS "isThere"`);
  // A user who may use this schema need not be allowed to create one.
  if (!isThere) await session.query("CREATE SCHEMA openseat");
  await session.query(statement("foundation"));
}
