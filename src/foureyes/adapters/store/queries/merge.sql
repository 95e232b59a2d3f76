-- The merge queue: what is approved and not merged yet.

-- name: merge.lease
INSERT INTO merges (task, attempt, approval, state, tries, why, until, process, host, seq)
VALUES (:task, :attempt, :approval, 'merging', 1, '', :until, :process, :host, :seq)
ON CONFLICT (task) DO UPDATE SET attempt = excluded.attempt, approval = excluded.approval, state = 'merging',
  tries = CASE WHEN merges.approval = excluded.approval THEN merges.tries + 1 ELSE 1 END, why = '', until = excluded.until,
  process = excluded.process, host = excluded.host, seq = excluded.seq;

-- name: merge.leave
UPDATE merges SET state = :state, why = :why, process = '', until = '', seq = :seq WHERE task = :task;

-- name: merge.extend
UPDATE merges SET until = :until WHERE task = :task AND state = 'merging' AND until < :until;

-- name: merge.leases
SELECT m.task, m.attempt, m.approval, m.state, m.tries, m.why, m.until, m.process, m.host, m.seq,
  coalesce((SELECT s.value FROM settings s WHERE s.name = 'merge:lit:' || m.task),
    (SELECT max(r.beacon) FROM runners r WHERE r.process = m.process AND r.ended_at = ''), '') AS beacon FROM merges m
JOIN tasks t ON t.id = m.task AND t.status = 'approved' WHERE m.state = 'merging' ORDER BY m.seq;

-- name: merge.last
SELECT t.merge_sha AS sha FROM merges m JOIN tasks t ON t.id = m.task
WHERE m.state = 'done' AND t.merge_sha IS NOT NULL ORDER BY m.seq DESC LIMIT 1;

-- name: merge.latest
SELECT t.merge_sha AS sha FROM merges m JOIN tasks t ON t.id = m.task
WHERE m.state = 'done' AND t.merge_sha IS NOT NULL AND m.seq > coalesce((SELECT max(j.seq) FROM journal j WHERE j.task = ''
  AND (j.kind = 'TargetSetBack' OR (j.kind = 'PolicyAccepted' AND j.payload LIKE '%"target":"%' AND j.payload NOT LIKE '%"target":""%'))), 0)
ORDER BY m.seq DESC LIMIT :limit;

-- name: merge.place
SELECT coalesce((SELECT value FROM settings WHERE name = 'merge:newest'), '') AS newest,
  coalesce((SELECT value FROM settings WHERE name = 'merge:clone'), '') AS clone;

-- name: merge.address
SELECT value FROM settings WHERE name = 'merge:address:' || CAST(:clone AS TEXT);

-- name: merge.sent
SELECT substr(name, 12) AS task, value FROM settings WHERE name >= 'merge:sent:' AND name < 'merge:sent;' ORDER BY name;

-- name: merge.unsend
DELETE FROM settings WHERE name IN ('merge:sent:' || CAST(:task AS TEXT), 'merge:lit:' || CAST(:task AS TEXT));

-- name: merge.shas
SELECT id, merge_sha AS sha FROM tasks WHERE merge_sha IS NOT NULL ORDER BY n;

-- name: merge.set_back
SELECT j.seq AS seq, j.at AS at, j.payload AS payload FROM security s JOIN journal j ON j.seq > s.seq AND j.seq <= s.seq + 3
WHERE s.kind = 'target_set_back' AND j.kind = 'TargetSetBack' ORDER BY j.seq;

-- name: merge.points
SELECT DISTINCT merge_sha AS sha FROM tasks WHERE merge_sha IS NOT NULL;

-- name: merge.starts
SELECT DISTINCT start_target AS sha FROM tasks WHERE start_target IS NOT NULL;

-- name: merge.first
SELECT sha FROM (
  SELECT t.start_target AS sha, h.seq AS seq FROM tasks t JOIN history h ON h.task = t.id AND h.action = 'started'
  WHERE t.start_target IS NOT NULL
  UNION ALL SELECT t.merge_sha AS sha, m.seq AS seq FROM tasks t JOIN merges m ON m.task = t.id AND m.state = 'done'
  WHERE t.merge_sha IS NOT NULL
) points ORDER BY seq LIMIT 1;

-- name: merge.brought
SELECT a.task AS task, a.commits AS commits FROM attempts a JOIN tasks t ON t.id = a.task
WHERE (t.merge_sha IS NOT NULL AND a.n = t.iteration)
  OR (a.landed = 1 AND NOT EXISTS (SELECT 1 FROM feedback f WHERE f.task = a.task AND f.iteration = a.n));

-- name: merge.approved
SELECT a.task AS task, a.commits AS commits FROM attempts a JOIN tasks t ON t.id = a.task AND a.n = t.iteration
WHERE t.status = 'approved';

-- name: merge.earlier
SELECT j.seq AS seq, j.task AS task, j.payload AS payload, a.commits AS commits FROM journal j
JOIN attempts a ON a.task = j.task AND a.n = (
  SELECT max(h.attempt) FROM history h WHERE h.task = j.task AND h.action = 'submitted' AND h.seq < j.seq)
WHERE j.kind = 'TaskMerged' AND j.task IN (SELECT p.task FROM approvals p WHERE p.state = 'ended') ORDER BY j.seq;

-- name: merge.merged
SELECT id FROM tasks WHERE status = 'closed' AND resolution = 'merged' ORDER BY n;

-- name: merge.of
SELECT m.task, m.attempt, m.approval, m.state, m.tries, m.why, m.until, m.process, m.host, m.seq,
  coalesce((SELECT s.value FROM settings s WHERE s.name = 'merge:lit:' || m.task),
    (SELECT max(r.beacon) FROM runners r WHERE r.process = m.process AND r.ended_at = ''), '') AS beacon
FROM merges m WHERE m.task = :task;

-- name: merge.queue
SELECT t.id AS task, t.title, t.priority, t.iteration AS attempt, coalesce(t.hold, (SELECT max(p.reason) FROM pauses p JOIN cycle_targets x ON x.cycle = p.cycle AND x.task = t.id
    WHERE p.made_by = 'rule' AND p.rule = 'R2' AND p.task IN ('', t.id))) AS hold, t.open_deps, t.merge_failures, a.seq AS approval,
  a.session AS approver, a.at AS approved_at, a.exception AS exception, s.kind AS approver_kind, coalesce(m.state, 'waiting') AS state, coalesce(m.tries, 0) AS tries,
  coalesce(m.why, '') AS why, coalesce(m.until, '') AS until, coalesce(m.process, '') AS process, coalesce(m.host, '') AS host,
  coalesce((SELECT l.value FROM settings l WHERE l.name = 'merge:lit:' || m.task),
    (SELECT max(r.beacon) FROM runners r WHERE r.process = m.process AND r.ended_at = ''), '') AS beacon
FROM tasks t
JOIN approvals a ON a.task = t.id AND a.state = 'active' AND a.recorded = 0
  AND a.seq = (SELECT max(b.seq) FROM approvals b WHERE b.task = t.id AND b.state = 'active' AND b.recorded = 0)
JOIN sessions s ON s.id = coalesce(a.finished_by, a.session)
LEFT JOIN merges m ON m.task = t.id AND m.approval = a.seq AND m.state <> 'done'
WHERE t.status = 'approved' AND t.deleted = 0
ORDER BY t.priority, a.seq LIMIT :limit OFFSET :after;

-- name: merge.before
SELECT count(*) AS n FROM tasks WHERE deleted = 0 AND status = 'approved' AND priority <= :priority;
