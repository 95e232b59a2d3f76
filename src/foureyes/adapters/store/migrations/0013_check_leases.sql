-- Leases of checks, and the lock by which a runner shows that it lives (J4).

CREATE TABLE check_leases (
  task TEXT NOT NULL PRIMARY KEY,
  runner TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until TEXT NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX check_leases_taken ON check_leases (seq) WHERE runner <> '';

ALTER TABLE runners ADD COLUMN beacon TEXT NOT NULL DEFAULT '';
