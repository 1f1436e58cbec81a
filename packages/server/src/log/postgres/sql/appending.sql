-- name: append
-- New streams are numbered in the order given, but inserted in the order of their names: otherwise two nodes that add the same
-- ones could deadlock. A stream that was created meanwhile, or is at another version, stays as it is.
WITH wanted AS MATERIALIZED (
  SELECT *, CASE WHEN after = 0 AND NOT EXISTS (SELECT FROM streams WHERE streams.name = given.name)
    THEN nextval('streams_number_seq') END AS new_number
  FROM unnest($1::text[], $2::bigint[], $3::integer[], string_to_array($4, E'\x1e'), $5::text[], $6::bigint[],
    $7::text[], string_to_array($8, E'\x1e'), $9::text[])
    AS given (name, after, count, lines, hash, due, status, summary, creator)
), added AS (
  INSERT INTO streams (number, name, kind, version, hash, due, status, summary, creator)
  SELECT new_number, name, split_part(name, '/', 1), count, hash, due, status, summary, creator
    FROM wanted WHERE new_number IS NOT NULL ORDER BY name COLLATE "C"
  ON CONFLICT (name) DO NOTHING RETURNING number, name
), advanced AS (
  UPDATE streams SET version = after + count, hash = wanted.hash, due = wanted.due, status = wanted.status,
    summary = wanted.summary
  FROM wanted WHERE after > 0 AND streams.name = wanted.name AND streams.version = after
  RETURNING streams.number, streams.name
), appended AS (
  SELECT number, name FROM added UNION ALL SELECT number, name FROM advanced
), stored AS (
  INSERT INTO batches (stream, first, count, lines, hash)
  SELECT appended.number, after + 1, count, lines, hash FROM wanted JOIN appended USING (name)
), sent AS (
  INSERT INTO outbox (source, version, target, body)
  SELECT appended.number, version, target, body
    FROM unnest($10::text[], $11::bigint[], $12::text[], string_to_array($13, E'\x1e'))
      WITH ORDINALITY AS effect (name, version, target, body, position)
    JOIN appended USING (name) ORDER BY position
)
SELECT name FROM appended
