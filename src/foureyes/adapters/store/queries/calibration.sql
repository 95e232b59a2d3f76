-- Calibrations (V4): what profiles found in changes with known defects, and true findings of the project to try them with.

-- name: calibration.insert
INSERT INTO calibrations (seq, profile, program, version, model, fingerprint, made_with, defects, found, quiet_cases, made_up, unanswered, past,
  past_found, seconds, input_tokens, output_tokens, cost_micros, cases, session, at)
VALUES (:seq, :profile, :program, :version, :model, :fingerprint, :made_with, :defects, :found, :quiet_cases, :made_up, :unanswered, :past,
  :past_found, :seconds, :input_tokens, :output_tokens, :cost_micros, :cases, :session, :at);

-- The last calibration of each profile; a project has few profiles, and few calibrations.
-- name: calibration.latest
SELECT c.seq, c.profile, c.program, c.version, c.model, c.fingerprint, c.made_with, c.defects, c.found, c.quiet_cases, c.made_up, c.unanswered,
  c.past, c.past_found, c.seconds, c.input_tokens, c.output_tokens, c.cost_micros, c.cases, c.session, c.at
FROM calibrations c JOIN (SELECT profile, max(seq) AS last FROM calibrations GROUP BY profile) l ON l.last = c.seq
ORDER BY c.profile;

-- Findings of the project that were true, the latest first, with the attempt in which they were raised, and what was said then. A review is
-- recorded just before what it raises: what a look raised is about code that no attempt has.
-- name: calibration.true_findings
SELECT f.root, f.task, t.title, t.acceptance, f.raised, a.base, a.head, j.payload
FROM findings f JOIN finding_moves m ON m.root = f.root AND m.kind = 'raised' JOIN journal j ON j.seq = m.seq
  JOIN attempts a ON a.task = f.task AND a.n = f.raised JOIN tasks t ON t.id = f.task
WHERE f.blocking = 1 AND f.by_check = '' AND f.path <> '' AND f.line > 0 AND f.ruling IN ('VERIFIED', 'NOT_FIXED', 'OVERRULED', 'CONFIRMED')
  AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.seq = m.seq - 1 AND r.look > 0)
ORDER BY f.seq DESC, f.root DESC LIMIT :limit;
