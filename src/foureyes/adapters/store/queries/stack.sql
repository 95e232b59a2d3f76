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

-- name: stack.left_behind
SELECT DISTINCT p.task AS id FROM pieces p JOIN tasks t ON t.id = p.task
JOIN feedback f ON f.task = p.task AND f.iteration = p.attempt
WHERE p.piece IN (SELECT value FROM json_each(:pieces)) AND p.task <> :task AND p.attempt <> t.iteration
  AND t.deleted = 0 AND t.status = 'closed' AND t.resolution IN ('merged', 'approved')
ORDER BY p.task;

-- name: stack.landed
SELECT DISTINCT p.piece AS id FROM pieces p JOIN tasks t ON t.id = p.task AND t.iteration = p.attempt
WHERE p.piece IN (SELECT value FROM json_each(:pieces)) AND t.status = 'closed' AND t.resolution IN ('merged', 'approved')
ORDER BY p.piece;

-- name: stack.sent_back
SELECT DISTINCT task, iteration AS n FROM feedback WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, iteration;

-- name: stack.claimed
SELECT task, min(seq) AS seq FROM history WHERE action = 'started' AND task IN (SELECT value FROM json_each(:ids))
GROUP BY task ORDER BY task;

-- name: stack.merged_as
SELECT t.id AS task, t.merge_sha AS sha, a.commits AS commits FROM tasks t JOIN attempts a ON a.task = t.id AND a.n = t.iteration
WHERE t.merge_sha IN (SELECT value FROM json_each(:shas)) AND t.id <> :task ORDER BY t.id;

-- name: stack.pieces
SELECT task, attempt, piece FROM pieces WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, attempt, piece;

-- name: stack.attempts
SELECT a.task, a.n, a.commits, a.files,
  (SELECT min(h.seq) FROM history h WHERE h.task = a.task AND h.attempt = a.n AND h.action = 'submitted') AS seq
FROM attempts a WHERE a.task IN (SELECT value FROM json_each(:ids)) ORDER BY a.task, a.n;

-- name: stack.from_ref
SELECT DISTINCT task AS id FROM attempts WHERE ref = :ref AND task <> :task ORDER BY task;
