-- The board: which tasks stand in which column, in which order, and what a card says.

-- name: board.ready
SELECT id FROM tasks WHERE ready = 1 ORDER BY priority, n LIMIT :limit OFFSET :after;

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

-- name: board.by_rule
SELECT count(*) AS n FROM (SELECT grade, at FROM approvals WHERE recorded = 0 ORDER BY seq DESC LIMIT :limit) latest
WHERE latest.grade = 'rule' AND latest.at >= :since;
