-- A run that did not use the tree it was started on is neither passed nor failed.

ALTER TABLE checks RENAME TO checks_8;
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
  found TEXT NOT NULL DEFAULT '[]'
);
INSERT INTO checks SELECT seq, task, tree, name, digest, command, outcome, summary, exit_code, duration_ms, failing, tests, program, output, session, at, found FROM checks_8;
DROP TABLE checks_8;
CREATE INDEX checks_by_tree ON checks (tree, seq);
