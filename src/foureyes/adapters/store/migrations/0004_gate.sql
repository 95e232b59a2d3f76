-- From hand-in to merge: check results, planned modes, feedback with options, the merge queue.

CREATE TABLE checks (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  tree TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  command TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'crashed', 'timed_out')),
  summary TEXT NOT NULL,
  exit_code INTEGER,
  duration_ms INTEGER NOT NULL,
  failing TEXT NOT NULL,
  tests TEXT NOT NULL,
  program TEXT NOT NULL,
  output TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX checks_by_tree ON checks (tree, seq);

CREATE TABLE test_lists (
  digest TEXT NOT NULL PRIMARY KEY,
  packed TEXT NOT NULL,
  n INTEGER NOT NULL
);

ALTER TABLE attempts ADD COLUMN signal TEXT NOT NULL DEFAULT 'DONE' CHECK (signal IN ('DONE', 'BLOCKED', 'NEEDS_REVIEW'));
ALTER TABLE attempts ADD COLUMN base_tree TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN marks TEXT NOT NULL DEFAULT '[]';

ALTER TABLE approvals ADD COLUMN batch TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN gone TEXT NOT NULL DEFAULT '[]';

ALTER TABLE tasks ADD COLUMN planned TEXT NOT NULL DEFAULT '' CHECK (planned IN ('', 'per-task', 'batch', 'auto-approve', 'skip'));
ALTER TABLE tasks ADD COLUMN merge_failures INTEGER NOT NULL DEFAULT 0;

ALTER TABLE feedback ADD COLUMN quick_issues TEXT NOT NULL DEFAULT '[]';
ALTER TABLE feedback ADD COLUMN redo_option TEXT NOT NULL DEFAULT 'keep' CHECK (redo_option IN ('keep', 'fresh', 'checkpoint'));
ALTER TABLE feedback ADD COLUMN reset_to TEXT;
ALTER TABLE feedback ADD COLUMN priority_change TEXT NOT NULL DEFAULT 'same' CHECK (priority_change IN ('same', 'bump', 'lower'));
ALTER TABLE feedback ADD COLUMN source TEXT NOT NULL DEFAULT '';

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
