-- Identity at strength: tokens, ended sessions, approvals recorded apart, cleared attributions, keys and signatures.

ALTER TABLE sessions ADD COLUMN base TEXT;
ALTER TABLE sessions ADD COLUMN base_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN process TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN ended_seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_by_base ON sessions (base);

CREATE TABLE tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  session TEXT NOT NULL,
  task TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('implement', 'review')),
  bound TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ended_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX tokens_by_task ON tokens (task);
CREATE INDEX tokens_by_session ON tokens (session);

ALTER TABLE approvals ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0 CHECK (recorded IN (0, 1));
ALTER TABLE approvals ADD COLUMN finished_by TEXT;
ALTER TABLE approvals ADD COLUMN finished_why TEXT NOT NULL DEFAULT '';

CREATE TABLE cleared (
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (task, session)
);

CREATE TABLE keys (
  fingerprint TEXT NOT NULL PRIMARY KEY,
  public TEXT NOT NULL,
  person TEXT NOT NULL,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  retired_at TEXT,
  retired_why TEXT NOT NULL DEFAULT ''
);

CREATE TABLE signatures (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  statement TEXT NOT NULL,
  signature TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL
);
CREATE INDEX signatures_by_task ON signatures (task);
