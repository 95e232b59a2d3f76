-- Stacks (A7): which tasks have work of which others inside their latest attempt.

-- name: stack.clear
DELETE FROM stacks WHERE task = :task;

-- name: stack.put
INSERT INTO stacks (task, lower, attempt, n, how, commits, top) VALUES (:task, :lower, :attempt, :n, :how, :many, :top)
ON CONFLICT (task, lower) DO UPDATE SET attempt = excluded.attempt, n = excluded.n, how = excluded.how, commits = excluded.commits,
  top = excluded.top;

-- name: stack.below
SELECT task AS upper, lower AS task, n AS attempt, how, commits, top FROM stacks
WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY stacks.task, stacks.lower;

-- name: stack.above
SELECT task AS upper, lower AS task, n AS attempt, how, commits, top FROM stacks
WHERE lower IN (SELECT value FROM json_each(:ids)) ORDER BY stacks.task, stacks.lower;

-- name: stack.shared
SELECT DISTINCT p.task AS id FROM pieces p JOIN tasks t ON t.id = p.task
WHERE p.piece IN (SELECT value FROM json_each(:pieces)) AND p.task <> :task AND t.deleted = 0
  AND NOT (t.status = 'closed' AND t.resolution IN ('merged', 'approved', 'cancelled'))
ORDER BY p.task;

-- name: stack.pieces
SELECT task, attempt, piece FROM pieces WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, attempt, piece;

-- name: stack.attempts
SELECT a.task, a.n, a.commits, a.files,
  (SELECT min(h.seq) FROM history h WHERE h.task = a.task AND h.attempt = a.n AND h.action = 'submitted') AS seq
FROM attempts a WHERE a.task IN (SELECT value FROM json_each(:ids)) ORDER BY a.task, a.n;

-- name: stack.files
SELECT task, n, files FROM attempts WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, n;

-- name: stack.from_ref
SELECT DISTINCT task AS id FROM attempts WHERE ref = :ref AND task <> :task ORDER BY task;
