
      ALTER TABLE streams ADD COLUMN creator text COLLATE "C";
      CREATE INDEX streams_by_creator ON streams (creator, kind) WHERE creator IS NOT NULL AND status <> 'ENDED';
    