-- name: players
INSERT INTO players (ladder, number, person, name, enrolled_at, left_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET name = excluded.name, left_at = excluded.left_at

-- name: standings
UPDATE players SET rating = ?3, deviation = ?4, volatility = ?5, wins = ?6, draws = ?7, losses = ?8, version = ?9
  WHERE ladder = ?1 AND number = ?2

-- name: matches
INSERT INTO matches (ladder, number, key, turn, status, first, second, first_score, second_score, reporter,
    reported_at, played_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (ladder, number) DO UPDATE SET turn = excluded.turn, status = excluded.status, changed_at = excluded.changed_at

-- name: statuses
UPDATE matches SET status = ?3, changed_at = ?4 WHERE ladder = ?1 AND number = ?2

-- name: ratings
INSERT INTO rating_history (ladder, turn, player, match, previous, opponent, before, after, deviation, volatility)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: recounts
UPDATE rating_history SET first_change = coalesce(first_change, after - before),
    before = ?4, after = ?5, deviation = ?6, volatility = ?7
  WHERE ladder = ?1 AND turn = ?2 AND player = ?3

-- name: named
SELECT number FROM players WHERE ladder = (SELECT number FROM streams WHERE name = ?1) AND left_at IS NULL
  AND name >= ?2 AND name < ?2 || char(0x10FFFF) ORDER BY name LIMIT ?3

-- name: step
SELECT match, previous, opponent FROM rating_history
  WHERE ladder = (SELECT number FROM streams WHERE name = ?) AND turn = ? AND player = ?

-- name: match
SELECT {matchColumns} FROM matches AS m {matchRatings}
  WHERE m.ladder = (SELECT number FROM streams WHERE name = ?) AND m.number = ?
