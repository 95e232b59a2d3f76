-- What PostgreSQL says differently about tasks.

-- name: task.insert_text
INSERT INTO task_text (rowid, folded, words) SELECT n, :folded, to_tsvector('simple', :folded) FROM tasks WHERE id = :id;

-- name: task.update_text
UPDATE task_text SET folded = :folded, words = to_tsvector('simple', :folded)
FROM tasks t WHERE task_text.rowid = t.n AND t.id = :id;

-- name: task.list_by_label
SELECT t.n, t.id, t.title, t.type, t.status, t.priority, t.labels, t.parent, t.implementer, t.iteration, t.version, t.minor,
  CASE WHEN t.hold IS NULL THEN 0 ELSE 1 END AS held, CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  t.created_at, t.updated_at
FROM task_labels l JOIN tasks t ON t.n = l.task_n

-- name: task.list_by_text
SELECT t.n, t.id, t.title, t.type, t.status, t.priority, t.labels, t.parent, t.implementer, t.iteration, t.version, t.minor,
  CASE WHEN t.hold IS NULL THEN 0 ELSE 1 END AS held, CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  t.created_at, t.updated_at
FROM tasks t

-- name: task.where_text
t.n = ANY (ARRAY(SELECT x.rowid FROM task_text x WHERE x.words @@ to_tsquery('simple', :text_words)))

-- A sub-select of its own for each row, and the function behind @@: neither can be turned into a walk through all tasks.
-- name: task.where_text_near
t.n > COALESCE(:after_n, (SELECT max(n) + 1 FROM tasks)) - :window
AND (SELECT ts_match_vq(x.words, to_tsquery('simple', :text_words)) FROM task_text x WHERE x.rowid = t.n)

-- name: task.after_text
t.n < :after_n

-- name: task.order_text
ORDER BY t.n DESC LIMIT :limit

-- name: task.misread_text
SELECT t.id FROM tasks t LEFT JOIN task_text x ON x.rowid = t.n
WHERE t.deleted = 0 AND (x.words IS NULL OR x.words IS DISTINCT FROM to_tsvector('simple', x.folded))
ORDER BY t.n LIMIT 20;
