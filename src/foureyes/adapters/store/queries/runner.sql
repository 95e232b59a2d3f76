-- What a runner looks at, each by an index and bounded (T4, S4, E2).

-- part: stops_work
(p.rule <> 'R2' OR NOT EXISTS (SELECT 1 FROM cycle_targets y WHERE y.cycle = p.cycle AND y.task = p.task AND y.attempt > 0))

-- name: runner.sent_back
SELECT t.id, t.status, t.priority, t.n, t.iteration, t.waiting_for FROM tasks t
WHERE t.ready = 1 AND t.iteration > 0 AND t.type <> 'epic'
  AND NOT EXISTS (SELECT 1 FROM stuck s WHERE s.task = t.id) AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.task = t.id AND {stops_work})
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review')
ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.ready
SELECT t.id, t.status, t.priority, t.n, t.iteration, t.waiting_for FROM tasks t
WHERE t.ready = 1 AND t.type <> 'epic'
  AND NOT EXISTS (SELECT 1 FROM stuck s WHERE s.task = t.id) AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.task = t.id AND {stops_work})
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review')
ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.some
SELECT t.id, t.status, t.priority, t.n, t.iteration, t.waiting_for FROM tasks t
WHERE t.id IN (SELECT value FROM json_each(:ids)) AND t.ready = 1 AND t.type <> 'epic'
  AND NOT EXISTS (SELECT 1 FROM stuck s WHERE s.task = t.id) AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.task = t.id AND {stops_work})
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review')
ORDER BY t.priority, t.n;

-- name: runner.leads
SELECT t.id, t.status, t.priority, t.n, t.iteration, t.waiting_for FROM tasks t
WHERE t.waiting_for <> '' AND t.waiting_for = 'lead' AND t.deleted = 0 AND t.status <> 'closed' AND t.hold IS NULL
  AND NOT EXISTS (SELECT 1 FROM stuck s WHERE s.task = t.id) AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.task = t.id AND {stops_work})
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review')
ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.left_claims
SELECT t.id, r.id AS run FROM tasks t JOIN runs r ON r.session = t.implementer AND r.state = 'ended' AND r.task = t.id
WHERE t.status = 'in_progress' AND t.deleted = 0 ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.tasks
SELECT t.id, t.status, t.hold, t.implementer, t.waiting_for, t.iteration, t.title FROM tasks t
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: runner.past
SELECT r.task, r.profile, r.purpose, r.ending, r.error, r.signal, r.conversation, r.resumes, r.host, r.error_text, r.message, r.final FROM runs r JOIN tasks t ON t.id = r.task
WHERE r.task IN (SELECT value FROM json_each(:ids)) AND r.state = 'ended' AND r.iteration = t.iteration
  AND r.purpose IN ('implement', 'respond', 'lead', 'plan')
  AND r.seq > coalesce((SELECT max(j.seq) FROM journal j JOIN sessions s ON s.id = j.session WHERE j.task = r.task AND s.kind = 'human'), 0)
ORDER BY r.seq;

-- name: runner.costs
SELECT r.task, sum(r.cost_micros) AS n FROM runs r
WHERE r.task IN (SELECT value FROM json_each(:ids))
  AND r.seq > coalesce((SELECT max(j.seq) FROM journal j JOIN sessions s ON s.id = j.session WHERE j.task = r.task AND j.kind = 'RunsResumed' AND s.kind = 'human'), 0)
GROUP BY r.task;

-- name: runner.reviewing
SELECT id, priority, n FROM tasks
WHERE status = 'reviewing' AND deleted = 0 AND (priority > :priority OR (priority = :priority AND n > :n))
ORDER BY priority, n LIMIT :limit;

-- name: runner.touched
SELECT DISTINCT j.task AS id, t.status FROM journal j JOIN tasks t ON t.id = j.task WHERE j.seq > :after AND j.seq <= :upto;

-- name: runner.stuck
SELECT s.task AS id, s.why AS text, t.title, s.seq FROM stuck s JOIN tasks t ON t.id = s.task
WHERE t.status <> 'closed' AND t.deleted = 0 ORDER BY s.seq DESC LIMIT :limit;

-- name: runner.submitted_task
SELECT a.task AS id, a.submitted_at AS at FROM attempts a JOIN tasks t ON t.id = a.task AND t.iteration = a.n
WHERE a.task IN (SELECT value FROM json_each(:ids));

-- name: runner.loops
SELECT t.id, coalesce(e.why, '') AS text, t.title FROM tasks t
LEFT JOIN escalations e ON e.seq = (SELECT max(x.seq) FROM escalations x WHERE x.task = t.id)
WHERE t.waiting_for <> '' AND t.waiting_for IN (SELECT value FROM json_each(:who)) AND t.deleted = 0 AND t.status <> 'closed' ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.blocked
SELECT t.id, t.blocked_reason AS text, t.title FROM tasks t
WHERE t.status = 'blocked' AND t.deleted = 0 AND t.rejected_by IS NULL ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.claim_of
SELECT r.id FROM tasks t JOIN runs r ON r.session = t.implementer AND r.state = 'ended' AND r.task = t.id
WHERE t.id = :task AND t.status = 'in_progress';

-- name: runner.lately
SELECT profile, task, ending, error, error_text, rc, ended_at FROM runs
WHERE state = 'ended' AND host = :host AND profile IN (SELECT value FROM json_each(:profiles))
  AND seq > (SELECT coalesce(max(j.seq), 0) FROM journal j) - :many ORDER BY seq DESC LIMIT :limit;

-- name: runner.held
SELECT id, hold AS text, title FROM tasks WHERE hold IS NOT NULL AND deleted = 0 AND status = 'open' ORDER BY priority, n LIMIT :limit;

-- name: runner.stopped
SELECT t.id, t.hold AS text, t.title, j.seq FROM tasks t
JOIN journal j ON j.seq = (SELECT max(x.seq) FROM journal x WHERE x.task = t.id AND x.kind = 'TaskHeld')
JOIN sessions s ON s.id = j.session AND s.kind = 'service'
WHERE t.hold IS NOT NULL AND t.deleted = 0 AND t.status <> 'closed' ORDER BY j.seq DESC LIMIT :limit;

-- name: runner.paused
SELECT t.id, p.reason AS text, t.title FROM pauses p JOIN tasks t ON t.id = p.task WHERE t.ready = 1 AND {stops_work} ORDER BY t.priority, t.n LIMIT :limit;

-- name: runner.asked
SELECT a.cycle, a.task, a.reviewer, a.kind, a.until, t.early_review FROM cycle_asked a
JOIN cycle_targets t ON t.cycle = a.cycle AND t.task = a.task AND t.over = '' JOIN tasks k ON k.id = a.task
WHERE a.cycle IN (SELECT c.id FROM cycles c WHERE c.state IN ('open', 'clarifying') AND c.state = 'open') AND a.state = 'asked' AND (a.kind = 'profile' OR (a.until <> '' AND a.until <= :now))
ORDER BY k.priority, a.at, a.cycle, a.task, a.reviewer LIMIT :limit;

-- name: runner.review_runs
SELECT r.cycle, r.task, r.profile, r.purpose, r.ending, r.error, r.signal, r.conversation, r.resumes, r.host, r.error_text FROM runs r
JOIN cycle_asked a ON a.cycle = r.cycle AND a.task = r.task AND a.reviewer = r.profile
WHERE r.cycle IN (SELECT value FROM json_each(:ids)) AND r.cycle <> '' AND r.state = 'ended' AND r.purpose = 'review' AND r.seq > a.seq ORDER BY r.seq;

-- name: runner.clarify_runs
SELECT r.cycle, r.task, r.profile, r.purpose, r.ending, r.error, r.signal, r.conversation, r.resumes, r.host, r.error_text FROM runs r
WHERE r.cycle IN (SELECT value FROM json_each(:ids)) AND r.cycle <> '' AND r.state = 'ended' AND r.purpose = 'clarify' ORDER BY r.seq;

-- name: runner.clarifying
SELECT c.id AS cycle, t.task, c.clarifiers FROM cycles c
JOIN cycle_targets t ON t.cycle = c.id AND t.over = '' JOIN tasks k ON k.id = t.task
WHERE t.cycle IN (SELECT x.id FROM cycles x WHERE x.state IN ('open', 'clarifying') AND x.state = 'clarifying') AND EXISTS (SELECT 1 FROM clarifications p WHERE p.cycle = c.id AND p.task = t.task AND p.answer = '')
ORDER BY c.n, t.task LIMIT :limit;

-- name: runner.unclarified
SELECT DISTINCT p.cycle, p.task, '' AS reviewer FROM clarifications p JOIN cycles c ON c.id = p.cycle AND c.state = 'clarifying'
JOIN cycle_targets t ON t.cycle = p.cycle AND t.task = p.task AND t.over = ''
WHERE p.cycle IN (SELECT value FROM json_each(:ids)) AND p.answer = '' ORDER BY p.cycle, p.task;

-- name: runner.awaited
SELECT a.cycle, a.task, a.reviewer FROM cycle_asked a JOIN cycles c ON c.id = a.cycle AND c.state <> 'ended'
JOIN cycle_targets t ON t.cycle = a.cycle AND t.task = a.task AND t.over = ''
WHERE a.cycle IN (SELECT value FROM json_each(:ids)) AND a.state = 'asked';

-- name: runner.reviewed
SELECT r.session AS id, max(r.at) AS at FROM reviews r WHERE r.cycle IN (SELECT value FROM json_each(:ids)) AND r.cycle <> '' GROUP BY r.session;

-- name: runner.to_decide
SELECT c.id, c.trigger, c.state, c.quorum, c.seats, c.clarify_until, c.session, c.at, c.seq FROM cycles c
WHERE c.state IN ('open', 'clarifying') AND ((c.state = 'open' AND NOT EXISTS (SELECT 1 FROM cycle_asked a
    JOIN cycle_targets t ON t.cycle = a.cycle AND t.task = a.task AND t.over = '' WHERE a.cycle = c.id AND a.state = 'asked'))
  OR (c.state = 'clarifying' AND c.clarify_until <> '' AND c.clarify_until <= :now)
  OR (c.state = 'clarifying' AND NOT EXISTS (SELECT 1 FROM clarifications p
    JOIN cycle_targets t ON t.cycle = p.cycle AND t.task = p.task AND t.over = '' WHERE p.cycle = c.id AND p.answer = '')))
ORDER BY CASE WHEN c.state = 'clarifying' OR EXISTS (SELECT 1 FROM cycle_asked o WHERE o.cycle = c.id) THEN 0 ELSE 1 END, c.n LIMIT :limit;

-- name: runner.called
SELECT e.task AS id, e.type, e.summary AS text, e.seq FROM tasks t JOIN emitted e ON e.task = t.id
  AND e.seq IN (SELECT max(o.seq) FROM emitted o WHERE o.task = t.id AND o.type IN ('milestone', 'blocker', 'request_review') GROUP BY o.type)
WHERE t.status = 'in_progress' AND t.deleted = 0
  AND NOT EXISTS (SELECT 1 FROM cycle_targets x JOIN cycles c ON c.id = x.cycle AND c.trigger = upper(e.type) WHERE x.task = e.task AND x.seq > e.seq)
ORDER BY e.seq LIMIT :limit;

-- name: runner.heard
SELECT r.id, r.task, r.host, r.purpose, r.started_at, coalesce(h.until, '') AS heard,
  coalesce((SELECT j.at FROM journal j WHERE j.task = r.task AND j.session = r.session ORDER BY j.seq DESC LIMIT 1), '') AS said,
  coalesce((SELECT max(c.at) FROM cycle_targets x JOIN cycles c ON c.id = x.cycle AND c.trigger = 'TIMEOUT_FALLBACK' WHERE x.task = r.task), '') AS fired,
  coalesce((SELECT max(c.ended_at) FROM cycle_targets x JOIN cycles c ON c.id = x.cycle AND c.rule = 'R4' WHERE x.task = r.task), '') AS agreed
FROM runs r LEFT JOIN renewals h ON h.lease = 'heard:' || r.id AND h.fence = r.fence
LEFT JOIN renewals n ON n.lease = r.id AND n.fence = r.fence
WHERE r.state <> 'ended' AND r.state = 'running' AND (r.until > :now OR n.until > :now) ORDER BY r.reserved_at, r.id;
