-- The board: which tasks stand in which column, in which order, and what a card says.

-- name: board.ready
SELECT id FROM tasks WHERE ready = 1 AND type <> 'epic' ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.goals
SELECT id FROM tasks WHERE ready = 1 AND type = 'epic' ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.waiting
SELECT id FROM tasks WHERE deleted = 0 AND status = 'open' AND ready = 0 AND hold IS NULL ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.rejected
SELECT id FROM tasks WHERE deleted = 0 AND status = 'blocked' AND rejected_by IS NOT NULL ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.blocked
SELECT id FROM tasks WHERE deleted = 0 AND status = 'blocked' AND rejected_by IS NULL ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.held
SELECT id FROM tasks WHERE hold IS NOT NULL AND deleted = 0 AND status = 'open' ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.count_held
SELECT count(*) AS n FROM tasks WHERE hold IS NOT NULL AND deleted = 0 AND status = 'open';

-- name: board.of_status
SELECT id FROM tasks WHERE deleted = 0 AND status = :status ORDER BY priority, n LIMIT :limit OFFSET :after;

-- name: board.closed
SELECT id FROM tasks WHERE deleted = 0 AND status = 'closed' ORDER BY closed_at DESC, n DESC LIMIT :limit OFFSET :after;

-- name: board.cards
SELECT t.id AS task, t.title, t.status, t.priority, t.type, t.labels, t.iteration, t.version, t.tier, t.hold, t.blocked_reason,
  CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected, t.defer_until, t.waiting_for, t.parent, t.started_at, t.updated_at, t.closed_at,
  t.resolution, t.ready, t.created_at, coalesce(s.name, '') AS implementer
FROM tasks t LEFT JOIN sessions s ON s.id = t.implementer
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: board.waits
SELECT d.task AS task, d.depends_on AS depends_on FROM dependencies d JOIN tasks o ON o.id = d.depends_on AND o.status <> 'closed'
WHERE d.task IN (SELECT value FROM json_each(:ids)) ORDER BY d.task, d.depends_on;

-- name: board.approvers
SELECT a.task AS task, s.name AS approver, a.grade AS grade, a.at AS at FROM approvals a JOIN sessions s ON s.id = a.session
WHERE a.task IN (SELECT value FROM json_each(:ids)) AND a.recorded = 0
  AND a.seq = (SELECT max(b.seq) FROM approvals b WHERE b.task = a.task AND b.recorded = 0);

-- name: board.claims
SELECT t.id AS task, t.title, t.iteration, t.tier, t.started_at AS since, s.id AS session, s.name AS name, s.kind AS kind, s.last_seen_at,
  s.ended_seq > 0 AND s.ended_seq >= s.last_seq AS ended, coalesce(l.text, '') AS line, coalesce(l.at, '') AS line_at
FROM tasks t JOIN sessions s ON s.id = t.implementer
LEFT JOIN logs l ON l.seq = (SELECT max(x.seq) FROM logs x WHERE x.task = t.id AND x.type <> 'security')
WHERE t.deleted = 0 AND t.status = 'in_progress' ORDER BY t.priority, t.n LIMIT :limit;

-- name: board.heard
SELECT t.id AS task, t.title, coalesce(m.type, '') AS word, coalesce(m.summary, '') AS text, coalesce(m.at, '') AS at FROM tasks t
LEFT JOIN emitted m ON m.seq = (SELECT max(x.seq) FROM emitted x WHERE x.task = t.id)
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: board.by_rule
SELECT count(*) AS n FROM (SELECT grade, at FROM approvals WHERE recorded = 0 ORDER BY seq DESC LIMIT :limit) latest
WHERE latest.grade = 'rule' AND latest.at >= :since;

-- name: board.project_held
SELECT '' AS task, '' AS title, '' AS status, '' AS text, j.at AS since, coalesce(s.name, '') AS who FROM journal j LEFT JOIN sessions s ON s.id = j.session
WHERE j.task = '' AND j.kind = 'ProjectHeld' ORDER BY j.seq DESC LIMIT 1;

-- name: board.holds
SELECT t.id AS task, t.title, t.status, t.hold AS text, coalesce(j.at, '') AS since, coalesce(s.name, '') AS who FROM tasks t
LEFT JOIN journal j ON j.seq = (SELECT max(x.seq) FROM journal x WHERE x.task = t.id AND x.kind = 'TaskHeld')
LEFT JOIN sessions s ON s.id = j.session
WHERE t.hold IS NOT NULL AND t.deleted = 0 AND t.status <> 'closed' ORDER BY coalesce(j.seq, 0) DESC, t.n LIMIT :limit;

-- name: board.loops
SELECT t.id AS task, t.title, t.status, coalesce(e.why, '') AS text, coalesce(e.at, '') AS since, t.waiting_for AS who FROM tasks t
LEFT JOIN escalations e ON e.seq = (SELECT max(x.seq) FROM escalations x WHERE x.task = t.id)
WHERE t.waiting_for <> '' AND t.deleted = 0 AND t.status <> 'closed' ORDER BY coalesce(e.seq, 0) DESC, t.n LIMIT :limit;

-- name: board.stuck
SELECT t.id AS task, t.title, t.status, m.why AS text, j.at AS since, '' AS who, m.tries AS n FROM merges m
JOIN tasks t ON t.id = m.task AND t.status = 'approved' AND t.deleted = 0
JOIN journal j ON j.seq = m.seq
WHERE m.state = 'stuck'
  AND m.approval = (SELECT max(a.seq) FROM approvals a WHERE a.task = t.id AND a.state = 'active' AND a.recorded = 0)
ORDER BY m.seq DESC LIMIT :limit;

-- name: board.broken_checks
SELECT t.id AS id FROM tasks t JOIN attempts a ON a.task = t.id AND a.n = (SELECT max(b.n) FROM attempts b WHERE b.task = t.id)
WHERE t.deleted = 0 AND t.status = 'reviewing' AND EXISTS (
  SELECT 1 FROM checks c WHERE c.tree = a.tree AND c.outcome IN ('crashed', 'timed_out', 'unsound'))
ORDER BY t.priority, t.n LIMIT :limit;

-- name: board.rejections
SELECT t.id AS task, t.title, t.status, t.blocked_reason AS text, coalesce(j.at, '') AS since, coalesce(s.name, '') AS who FROM tasks t
LEFT JOIN journal j ON j.seq = (SELECT max(x.seq) FROM journal x WHERE x.task = t.id AND x.kind = 'TaskRejected')
LEFT JOIN sessions s ON s.id = t.rejected_by
WHERE t.deleted = 0 AND t.status = 'blocked' AND t.rejected_by IS NOT NULL ORDER BY coalesce(j.seq, 0) DESC, t.n LIMIT :limit;

-- name: board.waivers
SELECT f.task, f.title, t.status, f.id AS text, f.waived_until AS since, f.severity AS who, f.line AS n, f.path FROM tasks t JOIN findings f ON f.task = t.id
WHERE t.deleted = 0 AND t.status <> 'closed' AND f.blocking = 1 AND f.state = 'waived' AND f.waived_until <= :now
ORDER BY f.waived_until DESC, f.seq DESC, f.root LIMIT :limit;
