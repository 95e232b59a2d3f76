-- A run that did not use the tree it was started on is neither passed nor failed.

ALTER TABLE checks DROP CONSTRAINT checks_outcome_check;
ALTER TABLE checks ADD CONSTRAINT checks_outcome_check CHECK (outcome IN ('passed', 'failed', 'crashed', 'timed_out', 'unsound'));
