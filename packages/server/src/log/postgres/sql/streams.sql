-- name: line
SELECT split_part(lines, E'\n', ($2 - first)::integer + 1) AS line FROM (
    SELECT first, count, lines FROM batches WHERE stream = (SELECT number FROM streams WHERE name = $1) AND first <= $2
    ORDER BY first DESC LIMIT 1
  ) AS batch WHERE first + count > $2

-- name: countLive
SELECT count(*) AS count FROM (
    SELECT FROM streams WHERE creator = $1 AND status <> '{endedStatus}' AND kind = ANY($2) LIMIT $3
  ) AS live

-- name: read
SELECT first, lines, hash FROM (
  SELECT first, lines, hash,
    sum(count) OVER earlier AS entries, sum(octet_length(lines)) OVER earlier AS characters
  FROM (
    SELECT first, count, lines, hash FROM batches
    WHERE stream = (SELECT number FROM streams WHERE name = $1) AND first + count > $2 + 1 AND first >= coalesce((
      SELECT max(first) FROM batches WHERE stream = (SELECT number FROM streams WHERE name = $1) AND first <= $2 + 1
    ), 0)
    ORDER BY first LIMIT $3
  ) AS page
  WINDOW earlier AS (ORDER BY first ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS counted
WHERE coalesce(entries, 0) < $3 AND coalesce(characters, 0) < {readCharactersMax}
ORDER BY first
