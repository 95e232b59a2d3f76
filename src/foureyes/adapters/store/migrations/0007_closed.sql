-- What was closed last, for the board: without it all that ever was is sorted.

CREATE INDEX tasks_closed ON tasks (status, closed_at, n) WHERE deleted = 0 AND status = 'closed';
