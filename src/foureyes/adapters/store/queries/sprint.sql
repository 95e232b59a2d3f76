-- Sprints (X).

-- part: stops_work
(p.rule <> 'R2' OR NOT EXISTS (SELECT 1 FROM cycle_targets y WHERE y.cycle = p.cycle AND y.task = p.task AND y.attempt > 0))

-- name: sprint.plan
INSERT INTO sprints (id, n, state, kind, tasks, minutes, clock, zone, pause_on_error, wants_checkpoint, chosen, planned_by, planned_at, seq)
VALUES (:sprint, :n, 'planned', :kind, :tasks, :minutes, :clock, :zone, :pause_on_error, :wants_checkpoint, :chosen, :session, :at, :seq);

-- name: sprint.choose
INSERT INTO sprint_tasks (sprint, task, place, minutes, source) VALUES (:sprint, :task, :place, :minutes, :source);

-- name: sprint.start
UPDATE sprints SET state = 'running', ends_at = :ends_at, checkpoint = :checkpoint, started_at = :at, started_seq = :seq, since_seq = :seq,
  seq = :seq
WHERE id = :sprint AND state = 'planned';

-- name: sprint.take
UPDATE sprint_tasks SET live = 1 WHERE sprint = :sprint;

-- name: sprint.free
UPDATE sprint_tasks SET live = 0 WHERE sprint = :sprint AND live = 1;

-- name: sprint.pause
UPDATE sprints SET state = 'paused', pause_kind = :kind, why = :why, seq = :seq WHERE id = :sprint AND state = 'running';

-- name: sprint.resume
UPDATE sprints SET state = 'running', since_seq = CASE WHEN pause_kind IN ('disk', 'hold') THEN since_seq ELSE :seq END, pause_kind = '',
  why = '', seq = :seq
WHERE id = :sprint AND state = 'paused';

-- name: sprint.end
UPDATE sprints SET state = 'ended', end_kind = :kind, why = :why, pause_kind = '', ended_at = :at, seq = :seq
WHERE id = :sprint AND state <> 'ended';

-- name: sprint.halt
INSERT INTO sprint_halts (seq, sprint, kind, why, session, at) VALUES (:seq, :sprint, :kind, :why, :session, :at);

-- name: sprint.revert
UPDATE sprint_tasks SET revert = :revert WHERE sprint = :sprint AND task = :task AND revert <> :revert;

-- name: sprint.last
SELECT coalesce(max(n), 0) AS n FROM sprints;

-- name: sprint.get
SELECT id, n, state, kind, tasks, minutes, clock, zone, ends_at, pause_on_error, wants_checkpoint, checkpoint, chosen AS "of", planned_by,
  planned_at, started_at, started_seq, since_seq, pause_kind, why, ended_at, end_kind
FROM sprints WHERE id = :sprint;

-- name: sprint.active
SELECT id, n, state, kind, tasks, minutes, clock, zone, ends_at, pause_on_error, wants_checkpoint, checkpoint, chosen AS "of", planned_by,
  planned_at, started_at, started_seq, since_seq, pause_kind, why, ended_at, end_kind
FROM sprints WHERE state IN ('running', 'paused') ORDER BY n;

-- name: sprint.latest
SELECT id, n, state, kind, tasks, minutes, clock, zone, ends_at, pause_on_error, wants_checkpoint, checkpoint, chosen AS "of", planned_by,
  planned_at, started_at, started_seq, since_seq, pause_kind, why, ended_at, end_kind
FROM sprints ORDER BY n DESC LIMIT :limit;

-- name: sprint.tasks
SELECT t.id, t.title, t.status, t.priority, t.resolution, t.waiting_for, t.iteration, t.ready, t.deleted, t.hold,
  (SELECT min(p.reason) FROM pauses p WHERE p.task = t.id AND {stops_work} AND (p.made_by = 'person' OR NOT EXISTS (
    SELECT 1 FROM cycle_targets v JOIN cycles c ON c.id = v.cycle AND c.state IN ('open', 'clarifying') WHERE v.task = t.id AND v.over = ''))) AS paused,
  CASE WHEN EXISTS (SELECT 1 FROM stuck k WHERE k.task = t.id) THEN 1 ELSE 0 END AS stuck,
  CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review') THEN 1 ELSE 0 END AS at_work,
  CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.role <> 'review' AND r.seq > s.started_seq) THEN 1 ELSE 0 END AS tried,
  CASE WHEN EXISTS (SELECT 1 FROM approvals a WHERE a.task = t.id AND a.state = 'active' AND a.rule IN ('M4', 'M5')) THEN 1 ELSE 0 END AS by_rule,
  (SELECT count(*) FROM findings f WHERE f.task = t.id AND f.blocking = 1 AND f.state IN ('open', 'claimed', 'disputed')) AS blocking
FROM sprints s JOIN sprint_tasks x ON x.sprint = s.id JOIN tasks t ON t.id = x.task
WHERE s.id = :sprint ORDER BY x.place;

-- name: sprint.of_tasks
SELECT x.task, x.sprint FROM sprint_tasks x WHERE x.live = 1 AND x.task IN (SELECT value FROM json_each(:ids));

-- name: sprint.ends
SELECT r.task, r.ending, r.error, r.signal, CASE WHEN r.error_text <> '' THEN r.error_text ELSE r.message END AS text
FROM sprint_tasks x JOIN runs r ON r.task = x.task AND r.state = 'ended' AND r.role <> 'review' AND r.seq > :after
WHERE x.sprint = :sprint ORDER BY r.seq DESC LIMIT :limit;

-- name: sprint.cost
SELECT coalesce(sum(r.cost_micros), 0) AS n FROM sprint_tasks x JOIN runs r ON r.task = x.task AND r.seq > :after
WHERE x.sprint = :sprint;

-- name: sprint.ready
SELECT t.id, t.status, t.priority, t.n, t.iteration, t.waiting_for FROM sprints s
JOIN sprint_tasks x ON x.sprint = s.id AND x.live = 1 JOIN tasks t ON t.id = x.task
WHERE s.state = 'running' AND t.ready = 1 AND t.type <> 'epic'
  AND NOT EXISTS (SELECT 1 FROM stuck k WHERE k.task = t.id) AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.task = t.id AND {stops_work})
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state <> 'ended' AND r.role <> 'review')
ORDER BY t.priority, t.n LIMIT :limit;

-- name: sprint.candidates
SELECT t.id, t.title, t.type, t.priority, t.labels, t.ready, t.estimate_minutes FROM tasks t
WHERE t.status = 'open' AND t.deleted = 0 AND t.type <> 'epic' AND t.hold IS NULL AND t.waiting_for = ''
  AND (t.ready = 1 OR t.open_deps > 0) AND NOT EXISTS (SELECT 1 FROM stuck k WHERE k.task = t.id)
  AND NOT EXISTS (SELECT 1 FROM sprint_tasks x WHERE x.task = t.id AND x.live = 1)
ORDER BY t.priority, t.n LIMIT :limit;

-- name: sprint.waits
SELECT d.task, d.depends_on FROM dependencies d JOIN tasks t ON t.id = d.task AND t.status = 'open' AND t.deleted = 0 AND t.open_deps > 0
JOIN tasks o ON o.id = d.depends_on AND o.status <> 'closed' ORDER BY d.task, d.depends_on;

-- name: sprint.past
SELECT sum(a.duration_seconds) AS seconds, t.type, t.labels FROM attempts a JOIN tasks t ON t.id = a.task
GROUP BY t.id, t.type, t.labels, t.n ORDER BY max(a.submitted_at) DESC, t.n DESC LIMIT :limit;

-- name: sprint.others
SELECT x.task, x.sprint FROM sprint_tasks x WHERE x.live = 1 AND x.sprint <> :sprint
  AND x.task IN (SELECT o.task FROM sprint_tasks o WHERE o.sprint = :sprint) ORDER BY x.task;

-- name: sprint.troubles
SELECT t.id, t.tier, t.blocked_reason, t.waiting_for, coalesce(k.why, '') AS stuck, coalesce(e.why, '') AS escalated
FROM sprint_tasks x JOIN tasks t ON t.id = x.task LEFT JOIN stuck k ON k.task = t.id
LEFT JOIN escalations e ON e.seq = (SELECT max(o.seq) FROM escalations o WHERE o.task = t.id)
WHERE x.sprint = :sprint AND (t.waiting_for <> '' OR t.status = 'blocked' OR k.task IS NOT NULL) ORDER BY x.place;

-- name: sprint.at_work
SELECT r.task, r.profile, r.runner, r.started_at FROM sprint_tasks x JOIN runs r ON r.task = x.task AND r.state <> 'ended'
WHERE x.sprint = :sprint ORDER BY r.reserved_at, r.id;

-- name: sprint.spent
SELECT count(*) AS runs, coalesce(sum(r.seconds), 0) AS seconds, coalesce(sum(r.cost_micros), 0) AS cost_micros,
  coalesce(sum(r.input_tokens), 0) AS input_tokens, coalesce(sum(r.output_tokens), 0) AS output_tokens
FROM sprint_tasks x JOIN runs r ON r.task = x.task AND r.seq > :after WHERE x.sprint = :sprint;

-- name: sprint.merged
SELECT t.id, t.title, coalesce(t.merge_sha, '') AS sha, coalesce(a.rule, '') AS rule, coalesce(s.name, '') AS name
FROM sprint_tasks x JOIN tasks t ON t.id = x.task AND t.status = 'closed' AND t.resolution IN ('merged', 'approved') AND t.deleted = 0
LEFT JOIN approvals a ON a.seq = (SELECT max(o.seq) FROM approvals o WHERE o.task = t.id AND o.state = 'active')
LEFT JOIN sessions s ON s.id = a.session
WHERE x.sprint = :sprint ORDER BY t.closed_at, t.n;

-- name: sprint.brought
SELECT t.id, t.title, t.priority, t.merge_sha AS sha, x.revert FROM sprint_tasks x JOIN sprints s ON s.id = x.sprint
JOIN tasks t ON t.id = x.task AND t.status = 'closed' AND t.resolution = 'merged' AND t.merge_sha IS NOT NULL
WHERE x.sprint = :sprint AND s.started_at <> '' AND t.closed_at >= s.started_at ORDER BY t.closed_at DESC, t.n DESC;

-- name: sprint.findings
SELECT f.severity, f.state, count(*) AS n FROM sprint_tasks x JOIN findings f ON f.task = x.task AND f.seq > :after
WHERE x.sprint = :sprint GROUP BY f.severity, f.state ORDER BY f.severity, f.state;

-- name: sprint.halts
SELECT kind, why, at FROM sprint_halts WHERE sprint = :sprint ORDER BY seq;

-- name: sprint.any
SELECT id FROM sprints WHERE state IN ('running', 'paused') ORDER BY n LIMIT 1;

-- name: sprint.paused
SELECT s.id, s.why, s.pause_kind, coalesce((SELECT max(h.at) FROM sprint_halts h WHERE h.sprint = s.id), s.started_at) AS at
FROM sprints s WHERE s.state IN ('running', 'paused') AND s.state = 'paused' ORDER BY s.n;
