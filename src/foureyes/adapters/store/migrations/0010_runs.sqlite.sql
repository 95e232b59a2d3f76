-- Agents at work: runners, runs and their leases (J4), what agents say (S1, S3), pauses (V9), profiles that are left alone.

CREATE TABLE runners (
  session TEXT NOT NULL PRIMARY KEY,
  starter TEXT NOT NULL,
  process TEXT NOT NULL,
  host TEXT NOT NULL,
  agents INTEGER NOT NULL,
  until TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  lost INTEGER NOT NULL DEFAULT 0 CHECK (lost IN (0, 1)),
  seq INTEGER NOT NULL
);
CREATE INDEX runners_live ON runners (seq) WHERE ended_at = '';

CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  task TEXT NOT NULL,
  profile TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('implement', 'review', 'lead', 'plan')),
  purpose TEXT NOT NULL CHECK (purpose IN ('implement', 'respond', 'review', 'clarify', 'lead', 'plan')),
  state TEXT NOT NULL CHECK (state IN ('reserved', 'running', 'ended')),
  session TEXT,
  runner TEXT NOT NULL,
  host TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until TEXT NOT NULL,
  process TEXT NOT NULL DEFAULT '',
  resumes TEXT NOT NULL DEFAULT '',
  iteration INTEGER NOT NULL,
  ending TEXT NOT NULL DEFAULT ''
    CHECK (ending IN ('', 'finished', 'failed', 'timeout', 'stopped', 'lost', 'unstarted') AND (ending <> '') = (state = 'ended')),
  signal TEXT NOT NULL DEFAULT '' CHECK (signal IN ('', 'DONE', 'BLOCKED', 'NEEDS_REVIEW', 'FAILED')),
  message TEXT NOT NULL DEFAULT '',
  rc INTEGER,
  error TEXT NOT NULL DEFAULT 'none' CHECK (error IN ('none', 'quota', 'auth', 'missing', 'refused', 'crash', 'timeout')),
  error_text TEXT NOT NULL DEFAULT '',
  conversation TEXT NOT NULL DEFAULT '',
  final TEXT NOT NULL DEFAULT '',
  stop_asked TEXT NOT NULL DEFAULT '',
  worktree TEXT NOT NULL DEFAULT '',
  program TEXT NOT NULL DEFAULT '',
  digest TEXT NOT NULL DEFAULT '',
  reserved_at TEXT NOT NULL,
  started_at TEXT NOT NULL DEFAULT '',
  ended_at TEXT NOT NULL DEFAULT '',
  seconds INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  left_running INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL
);
CREATE INDEX runs_by_task ON runs (task, seq);
CREATE INDEX runs_by_session ON runs (session);
CREATE INDEX runs_live ON runs (seq) WHERE state <> 'ended';
CREATE UNIQUE INDEX runs_one_at_work ON runs (task) WHERE state <> 'ended' AND role <> 'review';

-- J4: how long a lease of a run, or of a runner, was renewed. No part of the journal, and none of the replay.

CREATE TABLE renewals (
  lease TEXT NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL,
  until TEXT NOT NULL
);

CREATE TABLE signals (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  run TEXT,
  signal TEXT NOT NULL CHECK (signal IN ('DONE', 'BLOCKED', 'NEEDS_REVIEW', 'FAILED')),
  message TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX signals_by_task ON signals (task, seq);

CREATE TABLE emitted (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  run TEXT,
  type TEXT NOT NULL CHECK (type IN ('milestone', 'blocker', 'request_review', 'progress', 'question')),
  summary TEXT NOT NULL,
  payload TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX emitted_by_task ON emitted (task, seq);

-- V9: `task` is empty for a pause of everything.

CREATE TABLE pauses (
  task TEXT NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  made_by TEXT NOT NULL CHECK (made_by IN ('person', 'rule')),
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  seq INTEGER NOT NULL
);

CREATE TABLE stuck (
  task TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('retries', 'spend', 'no_change', 'refused')),
  why TEXT NOT NULL,
  at TEXT NOT NULL,
  seq INTEGER NOT NULL
);

CREATE TABLE cooldowns (
  profile TEXT NOT NULL,
  host TEXT NOT NULL,
  until TEXT NOT NULL,
  error TEXT NOT NULL CHECK (error IN ('none', 'quota', 'auth', 'missing', 'refused', 'crash', 'timeout')),
  error_text TEXT NOT NULL,
  at TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (profile, host)
);

-- I2: tokens to lead and to plan.

ALTER TABLE tokens RENAME TO tokens_9;
CREATE TABLE tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  session TEXT NOT NULL,
  task TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('implement', 'review', 'lead', 'plan')),
  bound TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ended_seq INTEGER NOT NULL DEFAULT 0
);
INSERT INTO tokens SELECT hash, session, task, role, bound, seq, ended_seq FROM tokens_9;
DROP TABLE tokens_9;
CREATE INDEX tokens_by_task ON tokens (task);
CREATE INDEX tokens_by_session ON tokens (session);

-- What a runner asks for at every look is found by an index. A run that ended as done and changed nothing is a round without progress (S4).

CREATE INDEX tasks_sent_back ON tasks (priority, n) WHERE ready = 1 AND iteration > 0;
CREATE INDEX tasks_waiting ON tasks (waiting_for, priority, n) WHERE waiting_for <> '';
CREATE INDEX runs_by_profile ON runs (profile, host, seq) WHERE state = 'ended';

ALTER TABLE odd_ends RENAME TO odd_ends_9;
CREATE TABLE odd_ends (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('crash', 'timeout', 'blocked', 'cancelled', 'unchanged')),
  had INTEGER NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
INSERT INTO odd_ends SELECT seq, task, iteration, how, had, session, at FROM odd_ends_9;
DROP TABLE odd_ends_9;
CREATE INDEX odd_ends_by_task ON odd_ends (task, seq);
