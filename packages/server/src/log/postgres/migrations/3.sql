
      CREATE INDEX streams_live ON streams (kind, number) WHERE status <> 'ENDED';
    