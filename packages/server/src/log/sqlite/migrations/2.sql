
      CREATE TABLE players (
        ladder      INTEGER NOT NULL,
        number      INTEGER NOT NULL,
        person      TEXT NOT NULL,
        name        TEXT NOT NULL COLLATE NOCASE,
        rating      REAL NOT NULL DEFAULT 0,
        deviation   REAL,
        volatility  REAL,
        games       INTEGER GENERATED ALWAYS AS (wins + draws + losses) VIRTUAL,
        wins        INTEGER NOT NULL DEFAULT 0,
        draws       INTEGER NOT NULL DEFAULT 0,
        losses      INTEGER NOT NULL DEFAULT 0,
        version     INTEGER NOT NULL DEFAULT 0,
        enrolled_at INTEGER NOT NULL,
        left_at     INTEGER,
        PRIMARY KEY (ladder, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX players_by_name ON players (ladder, name);

      CREATE TABLE matches (
        ladder       INTEGER NOT NULL,
        number       INTEGER NOT NULL,
        key          TEXT,
        turn         INTEGER,
        status       TEXT NOT NULL,
        first        INTEGER NOT NULL,
        second       INTEGER NOT NULL,
        first_score  INTEGER NOT NULL,
        second_score INTEGER NOT NULL,
        reporter     TEXT NOT NULL,
        reported_at  INTEGER NOT NULL,
        played_at    INTEGER,
        changed_at   INTEGER NOT NULL,
        PRIMARY KEY (ladder, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX matches_not_counted ON matches (ladder, status, number) WHERE status <> 'counted';

      CREATE TABLE rating_history (
        ladder       INTEGER NOT NULL,
        turn         INTEGER NOT NULL,
        player       INTEGER NOT NULL,
        match        INTEGER NOT NULL,
        previous     INTEGER,
        opponent     INTEGER NOT NULL,
        before       REAL NOT NULL,
        after        REAL NOT NULL,
        deviation    REAL,
        volatility   REAL,
        first_change REAL,
        PRIMARY KEY (ladder, turn, player)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE outbox (
        number  INTEGER PRIMARY KEY AUTOINCREMENT,
        source  INTEGER NOT NULL REFERENCES streams,
        version INTEGER NOT NULL,
        target  TEXT NOT NULL,
        body    TEXT NOT NULL,
        failure TEXT
      ) STRICT;
      CREATE INDEX outbox_waiting ON outbox (number) WHERE failure IS NULL;
    