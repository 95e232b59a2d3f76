-- What a runner asks for at every look is found by an index. A run that ended as done and changed nothing is a round without progress (S4).

CREATE INDEX tasks_sent_back ON tasks (priority, n) WHERE ready = 1 AND iteration > 0;
CREATE INDEX tasks_waiting ON tasks (waiting_for, priority, n) WHERE waiting_for <> '';
CREATE INDEX runs_by_profile ON runs (profile, host, seq) WHERE state = 'ended';

ALTER TABLE odd_ends RENAME TO odd_ends_10;
CREATE TABLE odd_ends (
  seq INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('crash', 'timeout', 'blocked', 'cancelled', 'unchanged')),
  had INTEGER NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
INSERT INTO odd_ends SELECT seq, task, iteration, how, had, session, at FROM odd_ends_10;
DROP TABLE odd_ends_10;
CREATE INDEX odd_ends_by_task ON odd_ends (task, seq);
