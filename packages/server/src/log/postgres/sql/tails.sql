-- name: tails
-- `follows` says whether the log contains what the node has in memory. Without it, a node would continue from entries that a
-- failover has lost. Memory always ends with a batch.
SELECT place, streams.version, batch.first, batch.lines, batch.hash,
  CASE
    WHEN after = 0 THEN true
    WHEN streams.version <= after THEN streams.version = after AND streams.hash = known
    ELSE EXISTS (
      SELECT FROM batches
      WHERE stream = streams.number AND first + count - 1 = after AND batches.hash = known
        AND first = (SELECT max(first) FROM batches WHERE stream = streams.number AND first <= after)
    )
  END AS follows
FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS wanted (name, after, known, place)
JOIN streams ON streams.name = wanted.name
LEFT JOIN LATERAL (
  SELECT first, lines, hash FROM batches
  WHERE stream = streams.number AND first + count - 1 > after
    AND first >= coalesce((
      SELECT max(first) FROM batches WHERE stream = streams.number AND first <= after + 1
    ), 0)
    AND streams.version > after AND streams.version - after <= {tailEntriesMax}
    AND (
      SELECT sum(octet_length(newer.lines)) FROM batches AS newer WHERE newer.stream = streams.number AND newer.first > after
    ) <= {tailBytesMax}
  ORDER BY first
) AS batch ON true
ORDER BY place, batch.first
