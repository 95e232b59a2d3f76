-- What a runner asks for at every look is found by an index. A run that ended as done and changed nothing is a round without progress (S4).

CREATE INDEX tasks_sent_back ON tasks (priority, n) WHERE ready = 1 AND iteration > 0;
CREATE INDEX tasks_waiting ON tasks (waiting_for, priority, n) WHERE waiting_for <> '';
CREATE INDEX runs_by_profile ON runs (profile, host, seq) WHERE state = 'ended';

ALTER TABLE odd_ends DROP CONSTRAINT odd_ends_how_check;
ALTER TABLE odd_ends ADD CONSTRAINT odd_ends_how_check CHECK (how IN ('crash', 'timeout', 'blocked', 'cancelled', 'unchanged'));
