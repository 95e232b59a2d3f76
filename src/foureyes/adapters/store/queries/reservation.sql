-- Reservations (K1): tasks whose worktree is being made before they are started.

-- name: reservation.put
INSERT INTO reservations (task, session, process, until) VALUES (:task, :session, :process, :until)
ON CONFLICT (task) DO UPDATE SET session = excluded.session, process = excluded.process, until = excluded.until;

-- name: reservation.end
DELETE FROM reservations WHERE task = :task;

-- J4: a run that is reserved is one, too, for as long as its lease was renewed.
-- name: reservation.all
SELECT task, session, process, until FROM reservations
UNION ALL
SELECT r.task, r.runner AS session, x.process, CASE WHEN n.until > r.until THEN n.until ELSE r.until END AS until
FROM runs r JOIN runners x ON x.session = r.runner LEFT JOIN renewals n ON n.lease = r.id AND n.fence = r.fence
WHERE r.state = 'reserved' AND r.role = 'implement' AND x.ended_at = ''
ORDER BY task;

-- name: reservation.any
SELECT task AS id FROM reservations UNION ALL SELECT task AS id FROM runs WHERE state = 'reserved' ORDER BY 1 LIMIT 1;
