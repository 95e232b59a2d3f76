-- The first floor: journal, sessions, tasks, attempts, decisions, settings.
-- Every table but `journal` and `head` is what the journal says; nothing else writes it (J2).

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX journal_by_task ON journal (task, seq);

-- The end of the chain: a row cut off the journal's end is missed here, and writers queue on it.
CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO head (one, seq, hash) VALUES (1, 0, '');

CREATE TABLE project (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  target TEXT NOT NULL,
  hold TEXT,
  accepted_digest TEXT,
  accepted_text TEXT,
  created_at TEXT NOT NULL
);

CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'human', 'service')),
  trust TEXT NOT NULL CHECK (trust IN ('issued', 'observed', 'asserted')),
  name TEXT NOT NULL,
  agent TEXT NOT NULL,
  person TEXT NOT NULL,
  host TEXT NOT NULL,
  model TEXT NOT NULL,
  vendor TEXT NOT NULL,
  origin TEXT NOT NULL,
  proven INTEGER NOT NULL CHECK (proven IN (0, 1)),
  parent TEXT,
  started_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  last_seq INTEGER NOT NULL
);
CREATE INDEX sessions_by_agent ON sessions (agent);
CREATE INDEX sessions_by_origin ON sessions (origin);
CREATE INDEX sessions_by_last_seq ON sessions (last_seq);

CREATE TABLE evidence (
  evidence TEXT NOT NULL PRIMARY KEY,
  origin TEXT NOT NULL
);
CREATE INDEX evidence_by_origin ON evidence (origin);

CREATE TABLE tasks (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('task', 'bug', 'feature', 'chore', 'docs', 'epic')),
  status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'reviewing', 'approved', 'closed', 'blocked', 'deferred')),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4),
  labels TEXT NOT NULL,
  parent TEXT,
  acceptance TEXT NOT NULL,
  minor INTEGER NOT NULL CHECK (minor IN (0, 1)),
  minor_by TEXT,
  minor_late INTEGER NOT NULL CHECK (minor_late IN (0, 1)),
  task_group TEXT NOT NULL,
  once_key TEXT UNIQUE,
  creator TEXT NOT NULL,
  implementer TEXT,
  tier TEXT NOT NULL,
  estimate_minutes INTEGER,
  hold TEXT,
  blocked_reason TEXT NOT NULL,
  rejected_by TEXT,
  defer_until TEXT,
  merge_sha TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  start_target TEXT,
  closed_at TEXT,
  resolution TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  landed INTEGER NOT NULL CHECK (landed IN (0, 1)),
  unmerged INTEGER NOT NULL CHECK (unmerged IN (0, 1)),
  open_deps INTEGER NOT NULL CHECK (open_deps >= 0),
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1))
);
CREATE INDEX tasks_by_place ON tasks (priority, n) WHERE deleted = 0;
CREATE INDEX tasks_by_status ON tasks (status, priority, n) WHERE deleted = 0;
CREATE INDEX tasks_live ON tasks (priority, n) WHERE deleted = 0 AND status <> 'closed';
CREATE INDEX tasks_stuck ON tasks (priority, n) WHERE deleted = 0 AND (status = 'blocked' OR (status = 'open' AND open_deps > 0));
CREATE INDEX tasks_ready ON tasks (priority, n) WHERE ready = 1;
CREATE INDEX tasks_unmerged ON tasks (priority, n) WHERE unmerged = 1;
CREATE INDEX tasks_landed ON tasks (priority, n) WHERE landed = 1;
CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;
CREATE INDEX tasks_at_work ON tasks (implementer, priority, n) WHERE status IN ('in_progress', 'reviewing', 'approved');

CREATE TABLE task_labels (
  label TEXT NOT NULL,
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  priority INTEGER NOT NULL,
  task_n INTEGER NOT NULL,
  task TEXT NOT NULL,
  PRIMARY KEY (task, label)
);
CREATE INDEX task_labels_by_label ON task_labels (label, live, priority, task_n);

-- Labels that were taken off, and by whom: what a maker loosens does not count (M6).
CREATE TABLE labels_taken_off (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  label TEXT NOT NULL,
  session TEXT NOT NULL
);
CREATE INDEX labels_taken_off_by_task ON labels_taken_off (task);

CREATE TABLE dependencies (
  task TEXT NOT NULL,
  depends_on TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (task, depends_on)
);
CREATE INDEX dependencies_by_target ON dependencies (depends_on);

CREATE TABLE history (
  seq INTEGER NOT NULL,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('created', 'started', 'unstarted', 'submitted', 'responded', 'committed',
                                         'reviewed', 'requested_changes', 'approved')),
  attempt INTEGER NOT NULL,
  via TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (task, seq, session, action)
);

CREATE TABLE attempts (
  task TEXT NOT NULL,
  n INTEGER NOT NULL,
  base TEXT NOT NULL,
  head TEXT NOT NULL,
  tree TEXT NOT NULL,
  ref TEXT NOT NULL,
  diff_id TEXT NOT NULL,
  landed INTEGER NOT NULL CHECK (landed IN (0, 1)),
  no_code INTEGER NOT NULL CHECK (no_code IN (0, 1)),
  files TEXT NOT NULL,
  commits TEXT NOT NULL,
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  message TEXT NOT NULL,
  submitted_by TEXT NOT NULL,
  via TEXT,
  submitted_at TEXT NOT NULL,
  duration_seconds INTEGER NOT NULL,
  relation TEXT,
  PRIMARY KEY (task, n)
);

CREATE TABLE authors (
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  session TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (task, attempt, session)
);

CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  session TEXT NOT NULL,
  diff_id TEXT NOT NULL,
  rule TEXT NOT NULL,
  exception TEXT NOT NULL,
  reason TEXT NOT NULL,
  seen TEXT NOT NULL,
  grade TEXT NOT NULL,
  at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'withdrawn', 'ended')),
  ended_why TEXT NOT NULL
);
CREATE INDEX approvals_by_task ON approvals (task, seq);

CREATE TABLE feedback (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  session TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('redo', 'rejected')),
  text TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX feedback_by_task ON feedback (task, seq);

CREATE TABLE logs (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX logs_by_task ON logs (task, seq);

CREATE TABLE handoffs (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  done TEXT NOT NULL,
  remaining TEXT NOT NULL,
  decisions TEXT NOT NULL,
  uncertain TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX handoffs_by_task ON handoffs (task, seq);

CREATE TABLE security (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  session TEXT NOT NULL,
  kind TEXT NOT NULL,
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX security_by_kind ON security (kind, at);

CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);

CREATE TABLE counters (
  name TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL
);
