-- name: waiting
SELECT outbox.number, name, outbox.version, target, body FROM outbox
  JOIN streams ON source = streams.number
  WHERE outbox.number > $1 AND failure IS NULL ORDER BY outbox.number LIMIT $2

-- name: sizes
SELECT pg_database_size(current_database()) AS bytes,
  (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE failure IS NULL LIMIT $1) AS waiting) AS waiting

-- name: dropOldest
DELETE FROM outbox WHERE failure IS NOT NULL AND number <= (SELECT number FROM outbox
  WHERE failure IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET $1)

-- name: deadLetters
SELECT outbox.number, name, outbox.version, target, body, failure, failed_at FROM outbox
  JOIN streams ON source = streams.number
  WHERE outbox.number < $1 AND failure IS NOT NULL ORDER BY outbox.number DESC LIMIT $2

-- name: resend
WITH taken AS (
    DELETE FROM outbox WHERE number = $1 AND failure IS NOT NULL RETURNING source, version, target, body
  ), outbox AS (
    INSERT INTO outbox (source, version, target, body) SELECT * FROM taken RETURNING *
  ) SELECT outbox.number, name, outbox.version, target, body FROM outbox JOIN streams ON source = streams.number
