-- name: add
INSERT INTO streams (name, kind, version, hash, status, summary, creator) VALUES (?, ?, 0, '', '', '', ?)
  ON CONFLICT DO NOTHING RETURNING number, status, due

-- name: at
SELECT number, status, due FROM streams WHERE name = ? AND version = ?

-- name: advance
UPDATE streams SET version = ?, hash = ?, summary = ? WHERE number = ?

-- name: addBatch
INSERT INTO batches (stream, first, count, lines, hash) VALUES (?, ?, ?, ?, ?)

-- name: read
SELECT first, count, lines, batches.hash FROM streams JOIN batches ON stream = number
  WHERE name = ?1 AND first >= coalesce(
    (SELECT max(first) FROM batches JOIN streams ON stream = number WHERE name = ?1 AND first <= ?2), 0)
  ORDER BY first

-- name: line
SELECT first, lines FROM streams JOIN batches ON stream = number
  WHERE name = ? AND first <= ? ORDER BY first DESC LIMIT 1
