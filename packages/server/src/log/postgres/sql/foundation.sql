-- name: foundation
CREATE TABLE openseat.schema_version (
  id              integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  version         integer NOT NULL,
  compatible_from integer NOT NULL,
  closed          text
);
INSERT INTO openseat.schema_version (version, compatible_from) VALUES (0, 1);
