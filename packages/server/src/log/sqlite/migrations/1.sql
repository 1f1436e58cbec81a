
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
    