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
  asked INTEGER NOT NULL DEFAULT 0,
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
  look INTEGER NOT NULL,
  diff_id TEXT NOT NULL,
  summary TEXT NOT NULL,
  over TEXT NOT NULL DEFAULT '',
  seq INTEGER NOT NULL,
  PRIMARY KEY (cycle, task),
  CHECK ((attempt = 0) <> (look = 0))
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

CREATE TABLE looks (
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

ALTER TABLE reviews ADD COLUMN cycle TEXT NOT NULL DEFAULT '';
ALTER TABLE reviews ADD COLUMN look INTEGER NOT NULL DEFAULT 0;
CREATE INDEX reviews_by_cycle ON reviews (cycle, seq) WHERE cycle <> '';
ALTER TABLE runs ADD COLUMN cycle TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN look INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_by_cycle ON runs (cycle, seq) WHERE cycle <> '';

-- V9: a pause by a rule stands beside that of a person; each is lifted by itself.

ALTER TABLE pauses RENAME TO pauses_10;
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
INSERT INTO pauses (task, made_by, cycle, rule, reason, session, at, seq)
SELECT task, made_by, '', '', reason, session, at, seq FROM pauses_10;
DROP TABLE pauses_10;
