-- Calibrations of reviewer profiles (V4): the last one of a profile is what counts.

CREATE TABLE calibrations (
  seq INTEGER PRIMARY KEY,
  profile TEXT NOT NULL,
  program TEXT NOT NULL,
  version TEXT NOT NULL,
  model TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  made_with INTEGER NOT NULL,
  defects INTEGER NOT NULL,
  found INTEGER NOT NULL,
  quiet_cases INTEGER NOT NULL,
  made_up INTEGER NOT NULL,
  unanswered INTEGER NOT NULL,
  past INTEGER NOT NULL,
  past_found INTEGER NOT NULL,
  seconds INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  cases TEXT NOT NULL,
  session TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX calibrations_by_profile ON calibrations (profile, seq);
