-- name: savePart
INSERT INTO snapshot_parts (stream, version, saving, part, bytes)
  SELECT number, $2, $3, $4, $5 FROM streams WHERE name = $1

-- name: saveHead
INSERT INTO snapshots (stream, version, hash, saving) SELECT number, $2, $3, $4 FROM streams WHERE name = $1
  ON CONFLICT (stream) DO UPDATE SET version = excluded.version, hash = excluded.hash, saving = excluded.saving
  WHERE (snapshots.version, snapshots.saving) < (excluded.version, excluded.saving)

-- name: dropStale
DELETE FROM snapshot_parts WHERE ctid = ANY(ARRAY(
  SELECT old.ctid FROM snapshot_parts AS old JOIN snapshots AS head USING (stream)
  WHERE stream = (SELECT number FROM streams WHERE name = $1) AND (old.version, old.saving) < (head.version, head.saving) LIMIT {partsMax}))

-- name: head
SELECT stream, version, hash, saving FROM snapshots WHERE stream = (SELECT number FROM streams WHERE name = $1)

-- name: part
SELECT version, bytes FROM snapshots JOIN snapshot_parts USING (stream, version, saving)
  WHERE stream = (SELECT number FROM streams WHERE name = $1) AND part = $2

-- name: parts
SELECT bytes FROM snapshot_parts WHERE stream = $1 AND version = $2 AND saving = $3 AND part >= $4
  ORDER BY part LIMIT {partsMax}
