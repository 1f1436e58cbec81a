-- name: savePart
INSERT OR REPLACE INTO snapshot_parts (stream, version, part, bytes)
  SELECT number, ?, ?, ? FROM streams WHERE name = ?

-- name: saveHead
INSERT OR REPLACE INTO snapshots (stream, version, hash)
  SELECT number, ?, ? FROM streams WHERE name = ?

-- name: dropSurplus
DELETE FROM snapshot_parts
  WHERE stream = (SELECT number FROM streams WHERE name = ?) AND version = ? AND part > ?

-- name: dropStale
DELETE FROM snapshot_parts WHERE id IN (
  SELECT part.id FROM snapshot_parts AS part
  JOIN streams ON part.stream = number JOIN snapshots ON snapshots.stream = number
  WHERE name = ? AND part.version <> snapshots.version LIMIT {stalePartsMax})

-- name: part
SELECT snapshots.version, bytes FROM streams JOIN snapshots ON snapshots.stream = streams.number
  JOIN snapshot_parts AS parts ON parts.stream = streams.number AND parts.version = snapshots.version
  WHERE name = ? AND part = ?

-- name: head
SELECT snapshots.stream, snapshots.version, snapshots.hash FROM snapshots
  JOIN streams ON stream = number WHERE name = ?
