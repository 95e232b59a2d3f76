-- Reservations (K1): tasks whose worktree is being made before they are started.

-- name: reservation.put
INSERT INTO reservations (task, session, process, until) VALUES (:task, :session, :process, :until)
ON CONFLICT (task) DO UPDATE SET session = excluded.session, process = excluded.process, until = excluded.until;

-- name: reservation.end
DELETE FROM reservations WHERE task = :task;

-- name: reservation.all
SELECT task, session, process, until FROM reservations ORDER BY task;

-- name: reservation.any
SELECT task AS id FROM reservations ORDER BY task LIMIT 1;
