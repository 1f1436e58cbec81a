import type { Millis } from "@openseat/kernel";
import { LogUnavailable, LogUnusable, type StreamName } from "../log.ts";
import { type Beat, type Heard, sharingLimits } from "../sharing.ts";
import type { Connections, Dedicated } from "./connection/connections.ts";
import { assertUsable, rowsLacking, type Schema } from "./schema.ts";

/** Nodes of which nothing was heard for so long are forgotten. */
const forgottenAfterMs = 60_000;

const { goneAfterMs, caretakerMs, outageMs } = sharingLimits;

/**
 * Everything in one statement: the parts see the tables as they were before it, and each other only by what they return.
 * Nodes take turns at the one row of `service`, and the time is taken when it is had: who was kept waiting has not been
 * silent. Times far ahead are from before the clock was set back, and count for nothing.
 */
const beating = `
  WITH stood AS MATERIALIZED (
    SELECT *, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at
    FROM (SELECT * FROM service FOR UPDATE) AS locked
  ), care AS (
    SELECT caretaker <> $1::text AND abs(caretaker_until - ${caretakerMs} - at) < ${caretakerMs} AS is_taken FROM stood
  ), stands AS (
    UPDATE service SET
      beaten_at = stood.at,
      served_since = CASE WHEN stood.at - stood.beaten_at < ${outageMs}
        THEN least(stood.served_since, stood.at) ELSE stood.at END,
      caretaker = CASE WHEN is_taken THEN stood.caretaker ELSE $1 END,
      caretaker_until = CASE WHEN is_taken THEN stood.caretaker_until ELSE stood.at + ${caretakerMs} END
    FROM stood, care
    RETURNING stood.at, service.served_since, service.caretaker = $1 AS is_caretaker
  ), beaten AS (
    INSERT INTO nodes (name, beaten_at, told_until) SELECT $1, at, 0 FROM stands
    ON CONFLICT (name) DO UPDATE SET beaten_at = excluded.beaten_at, told_until = nodes.beaten_at
  ), forgotten AS (
    DELETE FROM nodes USING stands
    WHERE is_caretaker AND name <> $1 AND abs(at - beaten_at) > ${forgottenAfterMs}
  ), told AS (
    INSERT INTO heard (node, stream, pages)
    SELECT $1, given.stream, given.pages FROM unnest($2::text[], $3::bytea[]) AS given (stream, pages), stands
    WHERE NOT is_caretaker
  ), fetched AS (
    DELETE FROM heard USING stands WHERE is_caretaker RETURNING heard.number, heard.stream, heard.pages
  ), others AS (
    SELECT name, told_until FROM nodes, stands WHERE name <> $1 AND abs(at - beaten_at) < ${goneAfterMs}
  )
  SELECT stands.at, served_since AS "servedSince", is_caretaker AS "isCaretaker",
    (SELECT array_agg(name ORDER BY name) FROM others) AS "names",
    (SELECT array_agg(told_until ORDER BY name) FROM others) AS "toldUntil",
    (SELECT array_agg(stream ORDER BY number) FROM fetched) AS "streams",
    (SELECT array_agg(pages ORDER BY number) FROM fetched) AS "pages",
    pg_postmaster_start_time()::text AS server,
    schema_version.version, compatible_from AS "compatibleFrom", closed
  FROM stands, schema_version`;

const leaving = `
  WITH gone AS (DELETE FROM nodes WHERE name = $1)
  UPDATE service SET caretaker = NULL, caretaker_until = 0 WHERE caretaker = $1`;

interface BeatRow extends Pick<Beat, "at" | "servedSince" | "isCaretaker" | "server">, Schema {
  readonly names: readonly string[] | null;
  readonly toldUntil: readonly (string | number)[] | null;
  readonly streams: readonly StreamName[] | null;
  readonly pages: readonly Uint8Array[] | null;
}

/** One node's word that it is there, and how things stand among all. */
export class Beats {
  readonly #connections: Connections;
  readonly #line: Dedicated;
  readonly #node: string;

  constructor(connections: Connections, line: Dedicated, node: string) {
    this.#connections = connections;
    this.#line = line;
    this.#node = node;
  }

  async beat(heard: readonly Heard[]): Promise<Beat> {
    const streams = heard.map(({ stream }) => stream);
    const pages = heard.map(({ pages }) => Buffer.from(pages.buffer, pages.byteOffset, pages.byteLength));
    const session = await this.#line.session();
    const { rows } = await session.query({ text: beating, values: [this.#node, streams, pages] });
    const row: BeatRow | undefined = rows[0];
    if (!row) throw new LogUnavailable(rowsLacking);
    this.#assertUsable(row);
    const { at, servedSince, isCaretaker, server } = row;
    return { at, servedSince, isCaretaker, others: othersIn(row), heard: heardIn(row), server };
  }

  async leave(): Promise<void> {
    const session = await this.#line.session();
    await session.query({ text: leaving, values: [this.#node] });
  }

  /** What a newer server has made of the tables, this one would spoil: from then on it asks nothing of them. */
  #assertUsable(schema: Schema): void {
    try {
      assertUsable(schema);
    } catch (error) {
      if (error instanceof LogUnusable) this.#connections.refuse(error);
      throw error;
    }
  }
}

function othersIn({ names, toldUntil }: BeatRow): Map<string, Millis> {
  return new Map(names?.map((name, index) => [name, Number(toldUntil![index]) as Millis]));
}

function heardIn({ streams, pages }: BeatRow): Heard[] {
  return streams?.map((stream, index) => ({ stream, pages: pages![index] })) ?? [];
}
