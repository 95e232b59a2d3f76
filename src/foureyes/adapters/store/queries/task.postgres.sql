-- What PostgreSQL says differently about tasks.

-- name: task.insert_text
INSERT INTO task_text (rowid, words)
SELECT n, to_tsvector('simple', title || ' ' || description || ' ' || acceptance) FROM tasks WHERE id = :id;

-- name: task.update_text
UPDATE task_text SET words = to_tsvector('simple', t.title || ' ' || t.description || ' ' || t.acceptance)
FROM tasks t WHERE task_text.rowid = t.n AND t.id = :id;

-- name: task.where_text
t.n IN (SELECT rowid FROM task_text WHERE words @@ to_tsquery('simple', :text_words))

-- name: task.misread_text
SELECT t.id FROM tasks t LEFT JOIN task_text x ON x.rowid = t.n
WHERE t.deleted = 0 AND x.words IS DISTINCT FROM to_tsvector('simple', t.title || ' ' || t.description || ' ' || t.acceptance)
ORDER BY t.n LIMIT 20;
