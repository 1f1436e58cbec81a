-- name: waiting
SELECT outbox.number, name, outbox.version, target, body FROM outbox INDEXED BY outbox_waiting
  JOIN streams ON source = streams.number
  WHERE outbox.number > ? AND failure IS NULL ORDER BY outbox.number LIMIT ?

-- name: count
SELECT count(*) AS count FROM (SELECT 1 FROM outbox INDEXED BY outbox_waiting WHERE failure IS NULL LIMIT ?)

-- name: dropOldest
DELETE FROM outbox WHERE failure IS NOT NULL AND number <= (SELECT number FROM outbox INDEXED BY outbox_set_aside
  WHERE failure IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET ?)

-- name: deadLetters
SELECT outbox.number, name, outbox.version, target, body, failure, failed_at FROM outbox INDEXED BY outbox_set_aside
  JOIN streams ON source = streams.number
  WHERE outbox.number < ? AND failure IS NOT NULL ORDER BY outbox.number DESC LIMIT ?

-- name: resend
INSERT INTO outbox (source, version, target, body)
  SELECT source, version, target, body FROM outbox WHERE number = ? AND failure IS NOT NULL RETURNING number
