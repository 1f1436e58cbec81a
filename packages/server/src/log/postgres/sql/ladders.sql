-- name: players
INSERT INTO players (ladder, number, person, name, enrolled_at, left_at)
SELECT streams.number, given.* FROM streams,
  unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS given
WHERE {written}
ON CONFLICT (ladder, number) DO UPDATE SET name = excluded.name, left_at = excluded.left_at

-- name: standings
UPDATE players SET rating = given.rating, deviation = given.deviation, volatility = given.volatility,
  wins = given.wins, draws = given.draws, losses = given.losses, version = given.version
FROM streams CROSS JOIN unnest($2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::bigint[]) AS given (number, rating, deviation, volatility, wins, draws, losses, version)
  CROSS JOIN LATERAL (
    SELECT ctid FROM players WHERE ladder = streams.number AND number = given.number LIMIT 1
  ) AS place
WHERE {written} AND players.ctid = place.ctid

-- name: matches
INSERT INTO matches (ladder, number, key, turn, status, first, second, first_score, second_score, reporter, reported_at,
  played_at, changed_at)
SELECT streams.number, given.* FROM streams, unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],
  $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[]) AS given
WHERE {written}
ON CONFLICT (ladder, number) DO UPDATE SET turn = excluded.turn, status = excluded.status,
  changed_at = excluded.changed_at

-- name: statuses
UPDATE matches SET status = given.status, changed_at = given.changed_at
FROM streams CROSS JOIN unnest($2::bigint[], $3::text[], $4::bigint[]) AS given (number, status, changed_at)
  CROSS JOIN LATERAL (
    SELECT ctid FROM matches WHERE ladder = streams.number AND number = given.number LIMIT 1
  ) AS place
WHERE {written} AND matches.ctid = place.ctid

-- name: ratings
INSERT INTO rating_history (ladder, turn, player, match, previous, opponent, before, after, deviation, volatility)
SELECT streams.number, given.* FROM streams, unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
  $7::float8[], $8::float8[], $9::float8[], $10::float8[]) AS given
WHERE {written}

-- name: recounts
UPDATE rating_history AS held SET first_change = coalesce(held.first_change, held.after - held.before),
  before = given.before, after = given.after, deviation = given.deviation, volatility = given.volatility
FROM streams CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
  AS given (turn, player, before, after, deviation, volatility)
  CROSS JOIN LATERAL (
    SELECT ctid FROM rating_history WHERE ladder = streams.number AND turn = given.turn AND player = given.player LIMIT 1
  ) AS place
WHERE {written} AND held.ctid = place.ctid

-- name: named
SELECT number FROM players WHERE ladder = (SELECT number FROM streams WHERE name = $1) AND left_at IS NULL
  AND lower(name) >= lower($2 COLLATE "C") AND lower(name) < lower($2 COLLATE "C") || chr(x'10FFFF'::integer)
  ORDER BY lower(name), number LIMIT $3

-- name: walk
WITH RECURSIVE way AS (
  SELECT 1 AS step, match, previous, ($4::bigint IS NULL OR opponent = $4) AS wanted,
    ($4::bigint IS NULL OR opponent = $4)::integer AS found
    FROM rating_history WHERE ladder = (SELECT number FROM streams WHERE name = $1) AND turn = $2 AND player = $3
  UNION ALL
  SELECT step + 1, next.match, next.previous, next.wanted, found + next.wanted::integer
    FROM way CROSS JOIN LATERAL (
      SELECT match, previous, ($4::bigint IS NULL OR opponent = $4) AS wanted
        FROM rating_history
        WHERE ladder = (SELECT number FROM streams WHERE name = $1) AND turn = way.previous AND player = $3 LIMIT 1
    ) AS next
    WHERE step < {stepsMax} AND found < $5
)
SELECT step, found, wanted, previous, played.*
  FROM way CROSS JOIN LATERAL (
    SELECT {matchColumns} FROM matches AS m {matchRatings}
      WHERE m.ladder = (SELECT number FROM streams WHERE name = $1) AND m.number = way.match LIMIT 1
  ) AS played
  WHERE wanted OR step = (SELECT max(step) FROM way)
