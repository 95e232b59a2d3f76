-- From which clone an attempt was handed in, where several machines share a project (D4).

ALTER TABLE attempts ADD COLUMN clone TEXT NOT NULL DEFAULT '';
