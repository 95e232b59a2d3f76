-- Everything the store knows. Every table but `journal` and `head` is a projection of the journal; nothing else writes it (J2).

-- Journal, sessions, tasks, attempts, decisions, settings.

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
  last_seq INTEGER NOT NULL,
  base TEXT,
  base_seq INTEGER NOT NULL DEFAULT 0,
  process TEXT NOT NULL DEFAULT '',
  ended_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_agent ON sessions (agent);
CREATE INDEX sessions_by_origin ON sessions (origin);
CREATE INDEX sessions_by_last_seq ON sessions (last_seq);
CREATE INDEX sessions_by_base ON sessions (base);

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
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  planned TEXT NOT NULL DEFAULT '' CHECK (planned IN ('', 'per-task', 'batch', 'auto-approve', 'skip')),
  merge_failures INTEGER NOT NULL DEFAULT 0,
  waiting_for TEXT NOT NULL DEFAULT '' CHECK (waiting_for IN ('', 'lead', 'user'))
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
CREATE INDEX tasks_closed ON tasks (status, closed_at, n) WHERE deleted = 0 AND status = 'closed';
CREATE INDEX tasks_sent_back ON tasks (priority, n) WHERE ready = 1 AND iteration > 0;
CREATE INDEX tasks_waiting ON tasks (waiting_for, priority, n) WHERE waiting_for <> '';

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
  signal TEXT NOT NULL DEFAULT 'DONE' CHECK (signal IN ('DONE', 'BLOCKED', 'NEEDS_REVIEW')),
  base_tree TEXT NOT NULL DEFAULT '',
  marks TEXT NOT NULL DEFAULT '[]',
  size INTEGER NOT NULL DEFAULT 0, -- bytes; 0: not measured (P10)
  clone TEXT NOT NULL DEFAULT '',
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
  ended_why TEXT NOT NULL,
  recorded INTEGER NOT NULL DEFAULT 0 CHECK (recorded IN (0, 1)),
  finished_by TEXT,
  finished_why TEXT NOT NULL DEFAULT '',
  batch TEXT NOT NULL DEFAULT '',
  gone TEXT NOT NULL DEFAULT '[]',
  viewed TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX approvals_by_task ON approvals (task, seq);

CREATE TABLE feedback (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  session TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('redo', 'rejected')),
  text TEXT NOT NULL,
  at TEXT NOT NULL,
  quick_issues TEXT NOT NULL DEFAULT '[]',
  redo_option TEXT NOT NULL DEFAULT 'keep' CHECK (redo_option IN ('keep', 'fresh', 'checkpoint')),
  reset_to TEXT,
  priority_change TEXT NOT NULL DEFAULT 'same' CHECK (priority_change IN ('same', 'bump', 'lower')),
  source TEXT NOT NULL DEFAULT '',
  viewed TEXT NOT NULL DEFAULT '{}'
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

CREATE TABLE tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  session TEXT NOT NULL,
  task TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('implement', 'review', 'lead', 'plan')),
  bound TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ended_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX tokens_by_task ON tokens (task);
CREATE INDEX tokens_by_session ON tokens (session);

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

-- Check results and the merge queue.
CREATE TABLE checks (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  tree TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  command TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'crashed', 'timed_out', 'unsound')),
  summary TEXT NOT NULL,
  exit_code INTEGER,
  duration_ms INTEGER NOT NULL,
  failing TEXT NOT NULL,
  tests TEXT NOT NULL,
  program TEXT NOT NULL,
  output TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  tool_findings TEXT NOT NULL DEFAULT '[]',
  failed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX checks_by_tree ON checks (tree, seq);

CREATE TABLE test_lists (
  digest TEXT NOT NULL PRIMARY KEY,
  packed TEXT NOT NULL,
  n INTEGER NOT NULL
);

CREATE TABLE merges (
  task TEXT NOT NULL PRIMARY KEY,
  attempt INTEGER NOT NULL,
  approval INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('merging', 'waiting', 'stuck', 'done')),
  tries INTEGER NOT NULL,
  why TEXT NOT NULL,
  until TEXT NOT NULL,
  process TEXT NOT NULL,
  host TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- Reviews, findings and their history.
CREATE TABLE reviews (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  diff_id TEXT NOT NULL,
  session TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'concerns', 'blocker')),
  effective TEXT NOT NULL CHECK (effective IN ('approved', 'concerns', 'blocker')),
  status TEXT NOT NULL CHECK (status IN ('CHANGES_REQUESTED', 'APPROVED_WITH_NOTES', 'APPROVED')),
  summary TEXT NOT NULL,
  files TEXT NOT NULL,
  missing TEXT NOT NULL,
  notes TEXT NOT NULL,
  raised INTEGER NOT NULL,
  blocking INTEGER NOT NULL,
  actionable INTEGER NOT NULL CHECK (actionable IN (0, 1)),
  at TEXT NOT NULL,
  cycle TEXT NOT NULL DEFAULT '',
  early_review INTEGER NOT NULL DEFAULT 0,
  unconfirmed TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX reviews_by_task ON reviews (task, seq);
CREATE INDEX reviews_by_cycle ON reviews (cycle, seq) WHERE cycle <> '';

CREATE TABLE review_returns (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  session TEXT NOT NULL,
  why TEXT NOT NULL CHECK (why IN ('document', 'quote')),
  at TEXT NOT NULL
);
CREATE INDEX review_returns_by_task ON review_returns (task, attempt, session);

CREATE TABLE findings (
  root TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  task TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('TL', 'QA', 'CK')),
  severity TEXT NOT NULL CHECK (severity IN ('CRITICAL', 'HIGH', 'MEDIUM', 'LOW')),
  blocking INTEGER NOT NULL CHECK (blocking = CASE WHEN severity IN ('CRITICAL', 'HIGH') THEN 1 ELSE 0 END),
  title TEXT NOT NULL CHECK (title <> ''),
  path TEXT NOT NULL,
  line INTEGER NOT NULL CHECK (line >= 0),
  problem TEXT NOT NULL,
  fix TEXT NOT NULL,
  why TEXT NOT NULL,
  quote TEXT NOT NULL,
  symbol TEXT NOT NULL,
  rule TEXT NOT NULL,
  fix_patch TEXT NOT NULL,
  source TEXT NOT NULL,
  by_check TEXT NOT NULL,
  session TEXT NOT NULL,
  raised INTEGER NOT NULL,
  flagged INTEGER NOT NULL CHECK (flagged >= raised),
  flags INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'disputed', 'resolved', 'deferred', 'skipped', 'waived', 'obsolete')),
  note INTEGER NOT NULL CHECK (note IN (0, 1)),
  anchored INTEGER NOT NULL CHECK (anchored IN (0, 1)),
  waiting INTEGER NOT NULL CHECK (waiting IN (0, 1)),
  must_fix INTEGER NOT NULL CHECK (must_fix IN (0, 1)),
  left_diff INTEGER NOT NULL CHECK (left_diff IN (0, 1)),
  answer TEXT NOT NULL CHECK (answer IN ('', 'FIXED', 'REJECTED', 'DEFERRED', 'SKIPPED')),
  answered INTEGER NOT NULL,
  answered_by TEXT,
  ruling TEXT NOT NULL CHECK (ruling IN ('', 'VERIFIED', 'NOT_FIXED', 'ACCEPTED', 'OVERRULED', 'CONFIRMED', 'DISMISSED', 'OBSOLETE')),
  ruled_by TEXT,
  false_fixes INTEGER NOT NULL,
  reopened INTEGER NOT NULL,
  waived_until TEXT NOT NULL,
  tracked TEXT NOT NULL,
  alike TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  tool TEXT NOT NULL DEFAULT '',
  mark TEXT NOT NULL DEFAULT '',
  CHECK (blocking = 0 OR state NOT IN ('deferred', 'skipped'))
);
CREATE INDEX findings_by_task ON findings (task, seq, root);
CREATE INDEX findings_by_seq ON findings (seq, root);
CREATE INDEX findings_open ON findings (task, blocking, state);

CREATE TABLE finding_ids (
  id TEXT NOT NULL PRIMARY KEY,
  root TEXT NOT NULL,
  task TEXT NOT NULL,
  stem TEXT NOT NULL,
  n INTEGER NOT NULL
);
CREATE INDEX finding_ids_by_stem ON finding_ids (stem, n);
CREATE INDEX finding_ids_by_task ON finding_ids (task);

CREATE TABLE finding_moves (
  seq INTEGER NOT NULL,
  root TEXT NOT NULL,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('raised', 'flagged', 'answered', 'ruled', 'cleared', 'waived', 'taken_back')),
  word TEXT NOT NULL,
  was TEXT NOT NULL CHECK (was IN ('', 'open', 'claimed', 'disputed', 'resolved', 'deferred', 'skipped', 'waived', 'obsolete')),
  now TEXT NOT NULL CHECK (now IN ('open', 'claimed', 'disputed', 'resolved', 'deferred', 'skipped', 'waived', 'obsolete')),
  words TEXT NOT NULL,
  ground TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  debt TEXT NOT NULL,
  blocking INTEGER NOT NULL CHECK (blocking IN (0, 1)),
  undone INTEGER NOT NULL CHECK (undone IN (0, 1)),
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (root, seq)
);
CREATE INDEX finding_moves_by_task ON finding_moves (task, now, iteration);

CREATE TABLE pieces (
  piece TEXT NOT NULL,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  PRIMARY KEY (piece, task, attempt)
);

CREATE TABLE escalations (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('developer', 'senior', 'lead', 'user')),
  lead_option TEXT NOT NULL CHECK (lead_option IN ('', 'asked', 'split', 'senior', 'fresh', 'ask', 'continue')),
  waiting_for TEXT NOT NULL CHECK (waiting_for IN ('', 'lead', 'user')),
  why TEXT NOT NULL,
  into_tasks TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX escalations_by_task ON escalations (task, seq);

CREATE TABLE odd_ends (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('crash', 'timeout', 'blocked', 'cancelled', 'unchanged')),
  had INTEGER NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX odd_ends_by_task ON odd_ends (task, seq);

CREATE TABLE templates (
  name TEXT NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL,
  seq INTEGER NOT NULL
);

-- Attempts that have work of other tasks inside (A7).
CREATE TABLE stacks (
  task TEXT NOT NULL,
  lower TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  n INTEGER NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('whole', 'part', 'carved', 'copied', 'quoted', 'branch', 'trailer')),
  commits INTEGER NOT NULL,
  top TEXT NOT NULL,
  PRIMARY KEY (task, lower)
);
CREATE INDEX stacks_by_lower ON stacks (lower);

-- Tasks that somebody is about to start: the worktree comes first (K1).
CREATE TABLE reservations (
  task TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  process TEXT NOT NULL,
  until TEXT NOT NULL
);

-- Agents at work: runners, runs and their leases (J4), what agents say (S1, S3), pauses (V9), profiles that are skipped.
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
  seq INTEGER NOT NULL,
  beacon TEXT NOT NULL DEFAULT ''
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
  seq INTEGER NOT NULL,
  cycle TEXT NOT NULL DEFAULT '',
  early_review INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_task ON runs (task, seq);
CREATE INDEX runs_by_session ON runs (session);
CREATE INDEX runs_live ON runs (seq) WHERE state <> 'ended';
CREATE UNIQUE INDEX runs_one_at_work ON runs (task) WHERE state <> 'ended' AND role <> 'review';
CREATE INDEX runs_by_profile ON runs (profile, host, seq) WHERE state = 'ended';
CREATE INDEX runs_by_cycle ON runs (cycle, seq) WHERE cycle <> '';

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
  task TEXT NOT NULL,
  made_by TEXT NOT NULL CHECK (made_by IN ('person', 'rule')),
  cycle TEXT NOT NULL,
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (task, made_by, cycle)
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

-- Review cycles: who was asked about what, what became of it (V); looks at work in the middle of it (V1).
CREATE TABLE cycles (
  id TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL UNIQUE,
  trigger TEXT NOT NULL
    CHECK (trigger IN ('MILESTONE', 'BLOCKER', 'REQUEST_REVIEW', 'USER_MANUAL', 'TIMEOUT_FALLBACK', 'CLARIFIED')),
  state TEXT NOT NULL CHECK (state IN ('open', 'clarifying', 'decided', 'ended')),
  task TEXT NOT NULL,
  quorum INTEGER NOT NULL,
  seats INTEGER NOT NULL,
  wide INTEGER NOT NULL CHECK (wide IN (0, 1)),
  reason TEXT NOT NULL,
  follows TEXT NOT NULL,
  rule TEXT NOT NULL DEFAULT '' CHECK (rule IN ('', 'R0', 'R1', 'R2', 'R3', 'R4')),
  reasons TEXT NOT NULL DEFAULT '[]',
  requested INTEGER NOT NULL DEFAULT 0,
  answered INTEGER NOT NULL DEFAULT 0,
  counting INTEGER NOT NULL DEFAULT 0,
  why TEXT NOT NULL DEFAULT '',
  clarify_until TEXT NOT NULL DEFAULT '',
  clarifiers TEXT NOT NULL DEFAULT '[]',
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  ended_at TEXT NOT NULL DEFAULT '',
  seq INTEGER NOT NULL
);
CREATE INDEX cycles_live ON cycles (n) WHERE state IN ('open', 'clarifying');
CREATE INDEX cycles_followed ON cycles (follows) WHERE follows <> '';

CREATE TABLE cycle_targets (
  cycle TEXT NOT NULL,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  early_review INTEGER NOT NULL,
  diff_id TEXT NOT NULL,
  summary TEXT NOT NULL,
  over TEXT NOT NULL DEFAULT '',
  seq INTEGER NOT NULL,
  PRIMARY KEY (cycle, task),
  CHECK ((attempt = 0) <> (early_review = 0))
);
CREATE INDEX cycle_targets_by_task ON cycle_targets (task, seq);

CREATE TABLE cycle_asked (
  cycle TEXT NOT NULL,
  task TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('profile', 'session', 'person')),
  state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'not_given')),
  until TEXT NOT NULL,
  why TEXT NOT NULL DEFAULT ''
    CHECK (why IN ('', 'timeout', 'invalid', 'quota', 'auth', 'missing', 'crash', 'refused', 'superseded')),
  text TEXT NOT NULL DEFAULT '',
  review INTEGER NOT NULL DEFAULT 0,
  session TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL,
  ended_at TEXT NOT NULL DEFAULT '',
  seq INTEGER NOT NULL,
  PRIMARY KEY (cycle, task, reviewer)
);
CREATE INDEX cycle_asked_by_reviewer ON cycle_asked (reviewer, seq);

CREATE TABLE early_reviews (
  task TEXT NOT NULL,
  n INTEGER NOT NULL,
  commit_sha TEXT NOT NULL,
  base TEXT NOT NULL,
  diff_id TEXT NOT NULL,
  files TEXT NOT NULL,
  run TEXT,
  session TEXT NOT NULL,
  at TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (task, n)
);

CREATE TABLE clarifications (
  cycle TEXT NOT NULL,
  id TEXT NOT NULL,
  task TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  review INTEGER NOT NULL,
  finding TEXT NOT NULL,
  text TEXT NOT NULL,
  answer TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  answered_at TEXT NOT NULL DEFAULT '',
  seq INTEGER NOT NULL,
  PRIMARY KEY (cycle, id)
);

-- Sprints (X): a chosen set of tasks with an end. A task is in at most one that has begun and is not over (`live`).
CREATE TABLE sprints (
  id TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('planned', 'running', 'paused', 'ended')),
  kind TEXT NOT NULL CHECK (kind IN ('tasks', 'hours', 'until', 'idle')),
  tasks INTEGER NOT NULL,
  minutes INTEGER NOT NULL,
  clock TEXT NOT NULL,
  zone TEXT NOT NULL,
  ends_at TEXT NOT NULL DEFAULT '',
  pause_on_error INTEGER NOT NULL CHECK (pause_on_error IN (0, 1)),
  wants_checkpoint INTEGER NOT NULL CHECK (wants_checkpoint IN (0, 1)),
  checkpoint TEXT NOT NULL DEFAULT '',
  chosen INTEGER NOT NULL,
  planned_by TEXT NOT NULL,
  planned_at TEXT NOT NULL,
  started_at TEXT NOT NULL DEFAULT '',
  started_seq INTEGER NOT NULL DEFAULT 0,
  since_seq INTEGER NOT NULL DEFAULT 0,
  pause_kind TEXT NOT NULL DEFAULT '' CHECK (pause_kind IN ('', 'person', 'error', 'errors', 'disk', 'hold', 'spend', 'runner')),
  why TEXT NOT NULL DEFAULT '',
  ended_at TEXT NOT NULL DEFAULT '',
  end_kind TEXT NOT NULL DEFAULT '' CHECK (end_kind IN ('', 'target', 'time', 'idle', 'closed', 'stopped', 'withdrawn')),
  seq INTEGER NOT NULL
);
CREATE INDEX sprints_live ON sprints (n) WHERE state IN ('running', 'paused');

CREATE TABLE sprint_tasks (
  sprint TEXT NOT NULL,
  task TEXT NOT NULL,
  place INTEGER NOT NULL,
  minutes INTEGER NOT NULL,
  source TEXT NOT NULL,
  live INTEGER NOT NULL DEFAULT 0 CHECK (live IN (0, 1)),
  revert TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (sprint, task)
);
CREATE INDEX sprint_tasks_by_task ON sprint_tasks (task);
CREATE UNIQUE INDEX sprint_tasks_live ON sprint_tasks (task) WHERE live = 1;

-- What stopped a sprint, and what let it go on: for its report.
CREATE TABLE sprint_halts (
  seq INTEGER PRIMARY KEY,
  sprint TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'error', 'errors', 'disk', 'hold', 'spend', 'runner', 'resumed')),
  why TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX sprint_halts_by_sprint ON sprint_halts (sprint, seq);

-- Leases of checks, and the lock by which a runner shows that it lives (J4).
CREATE TABLE check_leases (
  task TEXT NOT NULL PRIMARY KEY,
  runner TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until TEXT NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX check_leases_taken ON check_leases (seq) WHERE runner <> '';
