-- name: opening
SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
SELECT current_setting('server_version_num')::integer AS version,
  current_setting('transaction_read_only') = 'on' AS readonly, pg_backend_pid() AS backend

-- name: filling
INSERT INTO heard (node, stream, pages)
SELECT '', '', convert_to(repeat('x', 1900), 'UTF8') FROM generate_series(1, 64)
