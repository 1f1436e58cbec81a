-- name: heartbeat
-- The clock is read after the row of `service` is locked: time spent waiting for it does not count as silence. Times far ahead are
-- from before the clock was set back, and are ignored.
WITH previous AS MATERIALIZED (
  SELECT *, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at
  FROM (SELECT * FROM service FOR UPDATE) AS locked
), lease AS (
  SELECT caretaker <> $1::text AND abs(caretaker_until - {leaderMs} - at) < {leaderMs} AS is_taken FROM previous
), state AS (
  UPDATE service SET
    beaten_at = previous.at,
    served_since = CASE WHEN previous.at - previous.beaten_at < {outageMs}
      THEN least(previous.served_since, previous.at) ELSE previous.at END,
    caretaker = CASE WHEN is_taken THEN previous.caretaker ELSE $1 END,
    caretaker_until = CASE WHEN is_taken THEN previous.caretaker_until ELSE previous.at + {leaderMs} END
  FROM previous, lease
  RETURNING previous.at, service.served_since, service.caretaker = $1 AS is_leader
), own_node AS (
  INSERT INTO nodes (name, beaten_at, told_until) SELECT $1, at, 0 FROM state
  ON CONFLICT (name) DO UPDATE SET beaten_at = excluded.beaten_at, told_until = nodes.beaten_at
), removed AS (
  DELETE FROM nodes USING state
  WHERE is_leader AND name <> $1 AND abs(at - beaten_at) > {forgottenAfterMs}
), reported AS (
  INSERT INTO heard (node, stream, pages)
  SELECT $1, given.stream, given.pages FROM unnest($2::text[], $3::bytea[]) AS given (stream, pages), state
  WHERE NOT is_leader
), fetched AS (
  DELETE FROM heard USING state WHERE is_leader RETURNING heard.number, heard.stream, heard.pages
), others AS (
  SELECT name, told_until FROM nodes, state WHERE name <> $1 AND abs(at - beaten_at) < {goneAfterMs}
)
SELECT state.at, served_since AS "servedSince", is_leader AS "isLeader",
  (SELECT array_agg(name ORDER BY name) FROM others) AS "names",
  (SELECT array_agg(told_until ORDER BY name) FROM others) AS "reportedUntil",
  (SELECT array_agg(stream ORDER BY number) FROM fetched) AS "streams",
  (SELECT array_agg(pages ORDER BY number) FROM fetched) AS "pages",
  pg_postmaster_start_time()::text AS server,
  schema_version.version, compatible_from AS "compatibleFrom", closed
FROM state, schema_version

-- name: leave
WITH gone AS (DELETE FROM nodes WHERE name = $1)
UPDATE service SET caretaker = NULL, caretaker_until = 0 WHERE caretaker = $1
