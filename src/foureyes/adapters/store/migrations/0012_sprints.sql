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
