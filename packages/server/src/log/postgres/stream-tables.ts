import { endedStatus, type Head, type Log, type StreamName } from "../log.ts";
import { listedOf, readCharactersMax } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";

const statement = statementsIn(new URL("./sql/streams.sql", import.meta.url), {
  endedStatus,
  readCharactersMax,
});

export function streamsOn(connections: Connections) {
  return {
    async head(stream) {
      return (await connections.rows("SELECT version, hash FROM streams WHERE name = $1", [stream]))[0];
    },

    async heads(streams) {
      const text = "SELECT name, version, hash FROM streams WHERE name = ANY($1)";
      const rows = await connections.rows(text, [streams]);
      const heads = new Map<StreamName, Head>(
        rows.map(({ name, version, hash }) => [name, { version, hash }]),
      );
      return streams.map((stream) => heads.get(stream));
    },

    async read(stream, after, limit) {
      const rows = await connections.rows(statement("read"), [stream, after, limit]);
      return rows.map(({ first, lines, hash }) => ({ first, lines: lines.split("\n"), hash }));
    },

    async line(stream, version) {
      return (await connections.rows(statement("line"), [stream, version]))[0]?.line;
    },

    async list({ kind, status, isLive, before = Number.MAX_SAFE_INTEGER, limit }) {
      const ofStatus = `${status === undefined ? "" : "AND status = $4"} ${isLive ? `AND status <> '${endedStatus}'` : ""}`;
      const text = `SELECT number, name, status, summary FROM streams
        WHERE kind = $1 AND number < $2 ${ofStatus} ORDER BY number DESC LIMIT $3`;
      const values = [kind, before, limit, ...(status === undefined ? [] : [status])];
      return (await connections.rows(text, values)).map(listedOf);
    },

    async countLive({ creator, kinds, limit }) {
      const [{ count }] = await connections.rows(statement("countLive"), [creator, kinds, limit]);
      return Number(count);
    },

    /** Skips locked streams: the node that is committing to one takes care of it. */
    async due(now, limit) {
      const text =
        "SELECT name FROM streams WHERE due <= $1 ORDER BY due, number LIMIT $2 FOR UPDATE SKIP LOCKED";
      const { rows } = await connections.glance({ text, values: [now, limit] });
      return rows.map(({ name }) => name);
    },

    async nextDue(now) {
      const [{ due }] = await connections.rows("SELECT min(due) AS due FROM streams WHERE due > $1", [now]);
      return due ?? undefined;
    },
  } satisfies Partial<Log>;
}
