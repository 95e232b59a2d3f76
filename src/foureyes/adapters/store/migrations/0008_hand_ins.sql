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

-- The size of a hand-in in bytes (P10; 0: not measured), and what a draw made of it (H3; 0: none, 1: left out, 2: a sample).

ALTER TABLE attempts ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0;
