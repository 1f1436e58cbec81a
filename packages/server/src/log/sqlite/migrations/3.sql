
      ALTER TABLE outbox ADD COLUMN failed_at INTEGER;
      CREATE INDEX outbox_by_route ON outbox (target, source, number) WHERE failure IS NULL;
      CREATE INDEX outbox_by_target ON outbox (target, number) WHERE failure IS NULL;
      CREATE INDEX outbox_set_aside ON outbox (number) WHERE failure IS NOT NULL;
    