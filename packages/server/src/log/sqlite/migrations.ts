/**
 * Numbered and frozen: a migration that has been released is never edited. `breaks` says that servers of the
 * version before cannot use the store any more once it has run.
 */
export const migrations: readonly { readonly breaks: boolean; readonly sql: string }[] = [
  {
    breaks: false,
    sql: `
      CREATE TABLE streams (
        number  INTEGER PRIMARY KEY,
        name    TEXT NOT NULL UNIQUE,
        kind    TEXT NOT NULL,
        version INTEGER NOT NULL,
        hash    TEXT NOT NULL,
        due     INTEGER,
        status  TEXT NOT NULL,
        summary TEXT NOT NULL
      ) STRICT;
      CREATE INDEX streams_by_due ON streams (due) WHERE due IS NOT NULL;
      CREATE INDEX streams_by_kind ON streams (kind, number);
      CREATE INDEX streams_by_status ON streams (kind, status, number);

      CREATE TABLE batches (
        id     INTEGER PRIMARY KEY,
        stream INTEGER NOT NULL REFERENCES streams,
        first  INTEGER NOT NULL,
        count  INTEGER NOT NULL,
        lines  TEXT NOT NULL,
        hash   TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX batches_by_stream ON batches (stream, first);

      CREATE TABLE snapshots (
        stream  INTEGER PRIMARY KEY REFERENCES streams,
        version INTEGER NOT NULL,
        hash    TEXT NOT NULL
      ) STRICT;
      CREATE TABLE snapshot_parts (
        id      INTEGER PRIMARY KEY,
        stream  INTEGER NOT NULL REFERENCES streams,
        version INTEGER NOT NULL,
        part    INTEGER NOT NULL,
        bytes   BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX snapshot_parts_by_stream ON snapshot_parts (stream, version, part);
    `,
  },
  {
    breaks: false,
    sql: `
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
    `,
  },
  {
    breaks: false,
    sql: `
      ALTER TABLE outbox ADD COLUMN failed_at INTEGER;
      CREATE INDEX outbox_by_route ON outbox (target, source, number) WHERE failure IS NULL;
      CREATE INDEX outbox_by_target ON outbox (target, number) WHERE failure IS NULL;
      CREATE INDEX outbox_set_aside ON outbox (number) WHERE failure IS NOT NULL;
    `,
  },
  {
    breaks: false,
    sql: `
      ALTER TABLE streams ADD COLUMN creator TEXT;
      CREATE INDEX streams_by_creator ON streams (creator, kind) WHERE creator IS NOT NULL AND status <> 'ENDED';
    `,
  },
  {
    breaks: false,
    sql: `
      CREATE INDEX streams_live ON streams (kind, number) WHERE status <> 'ENDED';
    `,
  },
];

/** What a data folder says that it has while a copy is being written into it: so no server, of whichever version, starts on half a log. */
export const unfinishedSchema = 2_147_483_647;
