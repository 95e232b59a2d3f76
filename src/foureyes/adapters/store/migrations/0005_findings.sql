-- The findings loop: reviews, findings and what happened to each, what attempts are made of, who is waited for.

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
  at TEXT NOT NULL
);
CREATE INDEX reviews_by_task ON reviews (task, seq);

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
  how TEXT NOT NULL CHECK (how IN ('crash', 'timeout', 'blocked', 'cancelled')),
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

ALTER TABLE tasks ADD COLUMN waiting_for TEXT NOT NULL DEFAULT '' CHECK (waiting_for IN ('', 'lead', 'user'));
ALTER TABLE checks ADD COLUMN found TEXT NOT NULL DEFAULT '[]';
