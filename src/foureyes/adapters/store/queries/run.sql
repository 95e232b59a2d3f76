-- Agent runs: runners, leases, what agents say, pauses (S, J4, V9).

-- part: stops_work
(p.rule <> 'R2' OR NOT EXISTS (SELECT 1 FROM cycle_targets y WHERE y.cycle = p.cycle AND y.task = p.task AND y.attempt > 0))

-- part: RUNNER
SELECT r.session, r.starter, r.process, r.host, r.agents, r.beacon, r.started_at, r.ended_at, r.reason, r.lost, r.seq,
  CASE WHEN n.until > r.until THEN n.until ELSE r.until END AS until
FROM runners r LEFT JOIN renewals n ON n.lease = r.session

-- part: RUN
SELECT r.id, r.task, r.profile, r.role, r.purpose, r.state, r.session, r.runner, r.host, r.fence, r.process, r.resumes, r.iteration, r.ending, r.signal,
  r.message, r.error, r.error_text, r.conversation, r.final, r.stop_asked, r.worktree, r.program, r.reserved_at, r.started_at, r.ended_at,
  CASE WHEN n.until > r.until THEN n.until ELSE r.until END AS until, r.input_tokens, r.output_tokens, r.cost_micros, r.cycle, r.early_review
FROM runs r LEFT JOIN renewals n ON n.lease = r.id AND n.fence = r.fence

-- name: run.begin
INSERT INTO runners (session, starter, process, host, agents, until, beacon, started_at, seq)
VALUES (:session, :starter, :process, :host, :agents, :until, :beacon, :at, :seq);

-- name: run.finish
UPDATE runners SET ended_at = :at, reason = :reason, lost = :lost, seq = :seq WHERE session = :session AND ended_at = '';

-- name: run.runner
{RUNNER}
WHERE r.session = :session;

-- name: run.runners
{RUNNER}
WHERE r.session IN (SELECT x.session FROM runners x WHERE x.ended_at = '' UNION SELECT x.runner FROM runs x WHERE x.state <> 'ended')
ORDER BY r.started_at, r.session;

-- name: run.left_runners
SELECT r.session, r.process, r.host, r.started_at, CASE WHEN n.until > r.until THEN n.until ELSE r.until END AS until, count(x.id) AS runs
FROM runners r LEFT JOIN renewals n ON n.lease = r.session JOIN runs x ON x.runner = r.session AND x.state <> 'ended'
GROUP BY r.session, r.process, r.host, r.started_at, r.until, n.until ORDER BY r.started_at, r.session;

-- name: run.take_checks
INSERT INTO check_leases (task, runner, fence, until, seq) VALUES (:task, :runner, :fence, :until, :seq)
ON CONFLICT (task) DO UPDATE SET runner = excluded.runner, fence = excluded.fence, until = excluded.until, seq = excluded.seq;

-- name: run.leave_checks
UPDATE check_leases SET runner = '', until = '', seq = :seq WHERE task = :task AND fence = :fence;

-- name: run.checks_of
SELECT c.task, c.runner, c.fence, CASE WHEN n.until > c.until THEN n.until ELSE c.until END AS until
FROM check_leases c LEFT JOIN renewals n ON n.lease = 'checks:' || c.task AND n.fence = c.fence WHERE c.task = :task;

-- name: run.checks_taken
SELECT c.task, c.runner, c.fence, CASE WHEN n.until > c.until THEN n.until ELSE c.until END AS until
FROM check_leases c LEFT JOIN renewals n ON n.lease = 'checks:' || c.task AND n.fence = c.fence WHERE c.runner <> '' ORDER BY c.seq;

-- name: run.reserve
INSERT INTO runs (id, task, profile, role, purpose, state, runner, host, fence, until, resumes, iteration, cycle, early_review, reserved_at, seq)
VALUES (:run, :task, :profile, :role, :purpose, 'reserved', :runner, :host, :fence, :until, :resumes, :iteration, :cycle, :early_review, :at, :seq);

-- name: run.take
UPDATE runs SET runner = :runner, host = :host, fence = :fence, until = :until, seq = :seq
WHERE id = :run AND fence = :fence - 1 AND state <> 'ended';

-- name: run.bind
UPDATE runs SET state = 'running', session = :session, process = :process, program = :program, digest = :digest,
  worktree = :worktree, started_at = :at, seq = :seq
WHERE id = :run AND fence = :fence AND state = 'reserved';

-- name: run.end
UPDATE runs SET state = 'ended', ending = :ending, rc = :rc, error = :error, error_text = :error_text,
  signal = CASE WHEN :signal = '' THEN signal ELSE :signal END, message = CASE WHEN :signal = '' THEN message ELSE :message END,
  conversation = CASE WHEN :conversation = '' THEN conversation ELSE :conversation END, final = :final, seconds = :seconds,
  input_tokens = :input_tokens, output_tokens = :output_tokens, cost_micros = :cost_micros, left_running = :left,
  ended_at = :at, seq = :seq
WHERE id = :run AND fence = :fence AND state <> 'ended';

-- name: run.end_lease
DELETE FROM renewals WHERE lease IN (:lease, 'heard:' || CAST(:lease AS TEXT));

-- name: run.ask_stop
UPDATE runs SET stop_asked = :reason WHERE id = :run AND stop_asked = '';

-- name: run.signal
UPDATE runs SET signal = :signal, message = :message WHERE id = :run;

-- name: run.renew
INSERT INTO renewals (lease, fence, until) VALUES (:lease, :fence, :until)
ON CONFLICT (lease) DO UPDATE SET fence = excluded.fence, until = excluded.until;

-- name: run.get
{RUN}
WHERE r.id = :run;

-- name: run.live
{RUN}
WHERE r.state <> 'ended' AND (CAST(:host AS TEXT) = '' OR r.host = :host) ORDER BY r.reserved_at, r.id;

-- name: run.held
SELECT r.id, r.fence FROM runs r WHERE r.state <> 'ended' AND r.runner = :runner ORDER BY r.reserved_at, r.id;

-- name: run.seen
{RUN}
WHERE r.state <> 'ended' AND (r.runner = :runner OR r.host = :host OR r.cycle <> ''
  OR r.runner NOT IN (SELECT value FROM json_each(:living)) OR CASE WHEN n.until > r.until THEN n.until ELSE r.until END <= :now
  OR r.task IN (SELECT t.task FROM cycle_targets t JOIN cycles c ON c.id = t.cycle WHERE c.state = 'clarifying'))
ORDER BY r.reserved_at, r.id;

-- name: run.of_cycle
{RUN}
WHERE r.cycle = :cycle AND r.cycle <> '' AND r.state <> 'ended';

-- name: run.at_work
{RUN}
WHERE r.task = :task AND r.state <> 'ended' AND r.role <> 'review';

-- name: run.of_task
{RUN}
WHERE r.task = :task ORDER BY r.reserved_at DESC, r.seq DESC LIMIT :limit;

-- name: run.of_session
{RUN}
WHERE r.session = :session;

-- name: run.insert_signal
INSERT INTO signals (seq, task, session, run, signal, message, at) VALUES (:seq, :task, :session, :run, :signal, :message, :at);

-- name: run.insert_emitted
INSERT INTO emitted (seq, task, session, run, type, summary, payload, at)
VALUES (:seq, :task, :session, :run, :type, :summary, :payload, :at);

-- name: run.said
SELECT seq, task, session, run, 'signal' AS what, signal AS word, message AS text, '' AS payload, at FROM signals WHERE seq > :after
UNION ALL
SELECT seq, task, session, run, 'event' AS what, type AS word, summary AS text, payload, at FROM emitted WHERE seq > :after
ORDER BY 1 LIMIT :limit;

-- name: run.pause
INSERT INTO pauses (task, made_by, cycle, rule, reason, session, at, seq) VALUES (:task, :made_by, :cycle, :rule, :reason, :session, :at, :seq)
ON CONFLICT (task, made_by, cycle) DO UPDATE SET rule = excluded.rule, reason = excluded.reason, session = excluded.session,
  at = excluded.at, seq = excluded.seq;

-- name: run.resume
DELETE FROM pauses WHERE task = :task;

-- name: run.resume_by_rule
DELETE FROM pauses WHERE task = :task AND made_by = 'rule' AND cycle = :cycle;

-- name: run.pauses
SELECT task, reason, made_by, rule, cycle, session, at FROM pauses
WHERE task = '' OR EXISTS (SELECT 1 FROM tasks t WHERE t.id = pauses.task AND t.status <> 'closed') ORDER BY task, made_by, seq;

-- name: run.pauses_of
SELECT task, reason, made_by, rule, cycle, session, at FROM pauses WHERE task IN ('', :task) ORDER BY task, made_by, seq;

-- name: run.stopped_by
SELECT task, reason, made_by, rule, cycle, session, at FROM pauses p WHERE p.task IN ('', :task) AND {stops_work} ORDER BY task, made_by, seq;

-- name: run.stick
INSERT INTO stuck (task, kind, why, at, seq) VALUES (:task, :kind, :why, :at, :seq)
ON CONFLICT (task) DO UPDATE SET kind = excluded.kind, why = excluded.why, at = excluded.at, seq = excluded.seq;

-- name: run.unstick
DELETE FROM stuck WHERE task = :task;

-- name: run.unstick_by_person
DELETE FROM stuck WHERE task = :task AND EXISTS (SELECT 1 FROM sessions WHERE id = :session AND kind = 'human');

-- name: run.stuck
SELECT s.task, s.kind, s.why, s.at FROM stuck s JOIN tasks t ON t.id = s.task WHERE t.status <> 'closed' AND t.deleted = 0 ORDER BY s.seq;

-- name: run.stuck_ready
SELECT count(*) AS n FROM stuck s JOIN tasks t ON t.id = s.task WHERE t.ready = 1;

-- name: run.stuck_of
SELECT task, kind, why, at FROM stuck WHERE task = :task;

-- name: run.cool
INSERT INTO cooldowns (profile, host, until, error, error_text, at, seq) VALUES (:profile, :host, :until, :error, :error_text, :at, :seq)
ON CONFLICT (profile, host) DO UPDATE SET until = excluded.until, error = excluded.error, error_text = excluded.error_text,
  at = excluded.at, seq = excluded.seq;

-- name: run.warm
DELETE FROM cooldowns WHERE profile = :profile AND host = :host;

-- name: run.last_errors
SELECT r.profile, r.error, r.error_text, r.ended_at FROM runs r
JOIN (SELECT profile, MAX(seq) AS seq FROM runs WHERE state = 'ended' AND error <> 'none' AND host = :host GROUP BY profile) l
  ON l.profile = r.profile AND l.seq = r.seq
ORDER BY r.profile;

-- name: run.cooled
SELECT profile, host, until, error, error_text, at FROM cooldowns WHERE (CAST(:host AS TEXT) = '' OR host = :host) ORDER BY profile, host;

-- name: run.blocked
SELECT t.id AS task, t.title, coalesce(t.blocked_reason, '') AS why, j.at FROM tasks t
JOIN journal j ON j.seq = (SELECT max(x.seq) FROM journal x WHERE x.task = t.id AND x.kind = 'TaskBlocked')
JOIN sessions s ON s.id = j.session AND s.kind <> 'human'
WHERE t.status = 'blocked' AND t.deleted = 0 AND t.rejected_by IS NULL ORDER BY j.seq DESC LIMIT :limit;
