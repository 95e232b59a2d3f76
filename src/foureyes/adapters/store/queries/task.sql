-- Tasks: projections first, then reads. `task.list`, `list_by_label` and `list_by_text` are completed by the fragments below it (lists.py).

-- name: task.insert
INSERT INTO tasks (n, id, title, description, type, status, priority, labels, parent, acceptance, minor, minor_by, minor_late,
  task_group, once_key, creator, implementer, tier, estimate_minutes, hold, blocked_reason, rejected_by, defer_until, merge_sha, version,
  created_at, updated_at, started_at, start_target, closed_at, resolution, iteration, landed, unmerged, open_deps, ready, deleted, planned)
VALUES ((SELECT coalesce(max(n), 0) + 1 FROM tasks), :id, :title, :description, :type, 'open', :priority, :labels, :parent, :acceptance, :minor, :minor_by, 0,
  :task_group, :once_key, :creator, NULL, 'developer', :estimate_minutes, NULL, '', NULL, NULL, NULL, :seq,
  :at, :at, NULL, NULL, NULL, '', 0, 0, 0, 0, 0, 0, :planned);

-- name: task.insert_text
INSERT INTO task_text (rowid, title, description, acceptance) SELECT n, title, description, acceptance FROM tasks WHERE id = :id;

-- name: task.update_text
UPDATE task_text SET title = t.title, description = t.description, acceptance = t.acceptance
FROM tasks t WHERE task_text.rowid = t.n AND t.id = :id;

-- name: task.delete_text
DELETE FROM task_text WHERE rowid = (SELECT n FROM tasks WHERE id = :id);

-- name: task.edit
UPDATE tasks SET title = coalesce(:title, title), description = coalesce(:description, description),
  acceptance = coalesce(:acceptance, acceptance), type = coalesce(:type, type), priority = coalesce(:priority, priority),
  task_group = coalesce(:task_group, task_group), estimate_minutes = coalesce(:estimate_minutes, estimate_minutes),
  version = :seq, updated_at = :at
WHERE id = :id;

-- name: task.set_label_priority
UPDATE task_labels SET priority = :priority WHERE task = :id;

-- name: task.texts
SELECT title, description, acceptance FROM tasks WHERE id = :id;

-- name: task.misread_text
SELECT t.id FROM tasks t LEFT JOIN task_text x ON x.rowid = t.n
WHERE t.deleted = 0 AND (x.title IS NOT t.title OR x.description IS NOT t.description OR x.acceptance IS NOT t.acceptance)
ORDER BY t.n LIMIT 20;

-- name: task.add_label
INSERT INTO task_labels (label, live, priority, task_n, task)
SELECT :label, CASE WHEN status = 'closed' THEN 0 ELSE 1 END, priority, n, id FROM tasks WHERE id = :id
ON CONFLICT DO NOTHING;

-- name: task.set_label_live
UPDATE task_labels SET live = (SELECT CASE WHEN t.status = 'closed' THEN 0 ELSE 1 END FROM tasks t WHERE t.id = :id) WHERE task = :id;

-- name: task.remove_label
DELETE FROM task_labels WHERE task = :id AND label = :label;

-- name: task.note_removed_label
INSERT INTO labels_taken_off (seq, task, label, session) VALUES (:seq, :id, :label, :session);

-- name: task.set_labels
UPDATE tasks SET labels = :labels, version = :seq, updated_at = :at WHERE id = :id;

-- name: task.labels
SELECT label FROM task_labels WHERE task = :id ORDER BY label;

-- name: task.set_parent
UPDATE tasks SET parent = :parent, version = :seq, updated_at = :at WHERE id = :id;

-- name: task.set_minor
UPDATE tasks SET minor = :minor, minor_by = :session, minor_late = 1, version = :seq, updated_at = :at WHERE id = :id;

-- name: task.add_dependency
INSERT INTO dependencies (task, depends_on, seq) VALUES (:id, :depends_on, :seq);

-- name: task.remove_dependency
DELETE FROM dependencies WHERE task = :id AND depends_on = :depends_on;

-- name: task.recount_deps
UPDATE tasks SET open_deps = (SELECT count(*) FROM dependencies d JOIN tasks o ON o.id = d.depends_on
  WHERE d.task = tasks.id AND o.status <> 'closed')
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: task.recompute_ready
UPDATE tasks SET ready = CASE WHEN status = 'open' AND hold IS NULL AND open_deps = 0 AND deleted = 0 AND waiting_for = '' AND NOT EXISTS (
  SELECT 1 FROM tasks p WHERE p.id = tasks.parent AND p.status = 'blocked') THEN 1 ELSE 0 END
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: task.touch
UPDATE tasks SET version = :seq, updated_at = :at WHERE id = :id;

-- name: task.start
UPDATE tasks SET status = 'in_progress', implementer = :session, started_at = :at, start_target = coalesce(start_target, :start_target),
  version = :seq, updated_at = :at
WHERE id = :id AND status = 'open';

-- name: task.release
UPDATE tasks SET status = 'open', implementer = NULL, version = :seq, updated_at = :at WHERE id = :id AND status = 'in_progress';

-- name: task.submit
UPDATE tasks SET status = 'reviewing', iteration = :n, landed = CASE WHEN :landed = 1 THEN 1 ELSE landed END, version = :seq, updated_at = :at
WHERE id = :id AND status IN ('in_progress', 'reviewing') AND iteration = :n - 1;

-- name: task.approve
UPDATE tasks SET status = :status, unmerged = 0, landed = 0, waiting_for = '', closed_at = CASE WHEN :status = 'closed' THEN :at END,
  resolution = CASE WHEN :status = 'closed' THEN 'approved' ELSE '' END, version = :seq, updated_at = :at
WHERE id = :id AND status = 'reviewing';

-- name: task.unapprove
UPDATE tasks SET status = 'reviewing', version = :seq, updated_at = :at WHERE id = :id AND status = 'approved';

-- name: task.redo
UPDATE tasks SET status = 'open', implementer = NULL, version = :seq, updated_at = :at
WHERE id = :id AND status IN ('reviewing', 'approved');

-- name: task.merge_failed
UPDATE tasks SET status = 'open', implementer = NULL, merge_failures = merge_failures + 1,
  tier = CASE WHEN (merge_failures + 1) % 3 <> 0 THEN tier WHEN tier = 'developer' THEN 'senior' WHEN tier = 'senior' THEN 'lead' ELSE 'user' END,
  version = :seq, updated_at = :at
WHERE id = :id AND status = 'approved';

-- name: task.shift_priority
UPDATE tasks SET priority = CASE WHEN priority + :step < 0 THEN 0 WHEN priority + :step > 4 THEN 4 ELSE priority + :step END WHERE id = :id;

-- name: task.copy_label_priority
UPDATE task_labels SET priority = (SELECT t.priority FROM tasks t WHERE t.id = :id) WHERE task = :id;

-- name: task.set_planned
UPDATE tasks SET planned = :planned, version = :seq, updated_at = :at WHERE id = :id;

-- name: task.reject
UPDATE tasks SET status = 'blocked', implementer = NULL, blocked_reason = :reason, rejected_by = :session, version = :seq, updated_at = :at
WHERE id = :id AND status = 'reviewing';

-- name: task.block
UPDATE tasks SET status = 'blocked', implementer = NULL, blocked_reason = :reason, version = :seq, updated_at = :at
WHERE id = :id AND status IN ('open', 'in_progress');

-- name: task.unblock
UPDATE tasks SET status = 'open', blocked_reason = '', rejected_by = NULL, version = :seq, updated_at = :at
WHERE id = :id AND status = 'blocked';

-- name: task.defer
UPDATE tasks SET status = 'deferred', defer_until = :until, version = :seq, updated_at = :at WHERE id = :id AND status = 'open';

-- name: task.undefer
UPDATE tasks SET status = 'open', defer_until = NULL, version = :seq, updated_at = :at WHERE id = :id AND status = 'deferred';

-- name: task.set_hold
UPDATE tasks SET hold = :hold, version = :seq, updated_at = :at WHERE id = :id;

-- name: task.close
UPDATE tasks SET status = 'closed', resolution = :resolution, closed_at = :at, deleted = :deleted, rejected_by = NULL,
  unmerged = CASE WHEN iteration > 0 AND EXISTS (SELECT 1 FROM attempts a WHERE a.task = tasks.id AND a.n = tasks.iteration AND a.no_code = 0)
    THEN 1 ELSE 0 END,
  version = :seq, updated_at = :at
WHERE id = :id AND status IN ('open', 'in_progress', 'reviewing', 'blocked', 'deferred');

-- name: task.merged
UPDATE tasks SET status = 'closed', resolution = 'merged', merge_sha = :sha, closed_at = :at, version = :seq, updated_at = :at
WHERE id = :id AND status = 'approved';

-- name: task.merge_seen
UPDATE tasks SET unmerged = 0, merge_sha = :sha, version = :seq, updated_at = :at WHERE id = :id AND unmerged = 1;

-- name: task.reopen
UPDATE tasks SET status = 'open', resolution = '', closed_at = NULL, deleted = 0, implementer = NULL, blocked_reason = '',
  rejected_by = NULL, merge_sha = NULL, unmerged = 0, version = :seq, updated_at = :at
WHERE id = :id AND status IN ('closed', 'blocked');

-- name: task.reland
UPDATE tasks SET landed = (SELECT max(a.landed) FROM attempts a WHERE a.task = tasks.id)
WHERE id = :id AND iteration > 0;

-- name: task.standing
SELECT id, status, ready, open_deps, deleted, CASE WHEN rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  CASE WHEN hold IS NULL THEN 0 ELSE 1 END AS held, unmerged, landed
FROM tasks WHERE id IN (SELECT value FROM json_each(:ids));

-- name: task.dependents
SELECT task FROM dependencies WHERE depends_on = :id;

-- name: task.waiting_for
SELECT d.task AS id, t.status, t.title FROM dependencies d JOIN tasks t ON t.id = d.task
WHERE d.depends_on = :id AND t.deleted = 0 AND t.status <> 'closed' ORDER BY d.task;

-- name: task.children
SELECT id, status FROM tasks WHERE parent = :id AND deleted = 0 ORDER BY n;

-- name: task.get
SELECT id, title, description, type, status, priority, labels, parent, acceptance, minor, minor_by, minor_late, planned, merge_failures, task_group AS "group",
  creator, implementer, tier, estimate_minutes, hold, blocked_reason, rejected_by, defer_until, merge_sha AS "merge", version, created_at,
  updated_at, started_at, start_target, closed_at, resolution, iteration, landed, open_deps, ready, deleted, waiting_for
FROM tasks WHERE id = :id;

-- name: task.own
SELECT t.id FROM tasks t JOIN attempts a ON a.task = t.id AND a.n = t.iteration JOIN sessions s ON s.id = a.submitted_by
WHERE t.deleted = 0 AND t.hold IS NULL AND ((t.ready = 1 AND s.id = :session) OR (t.status = 'reviewing' AND s.agent = :agent AND (s.id = :session OR s.process <> '')))
ORDER BY t.ready DESC, s.id = :session DESC, t.priority, t.n LIMIT 20;

-- name: task.begun_by_program
SELECT t.id FROM tasks t JOIN sessions s ON s.id = t.implementer
WHERE t.status = 'in_progress' AND t.hold IS NULL AND s.agent = :agent AND s.process <> '' AND s.id <> :session
ORDER BY t.priority, t.n LIMIT 100;

-- name: task.some
SELECT id, title, description, type, status, priority, labels, parent, acceptance, minor, minor_by, minor_late, planned, merge_failures, task_group AS "group",
  creator, implementer, tier, estimate_minutes, hold, blocked_reason, rejected_by, defer_until, merge_sha AS "merge", version, created_at,
  updated_at, started_at, start_target, closed_at, resolution, iteration, landed, open_deps, ready, deleted, waiting_for
FROM tasks WHERE id IN (SELECT value FROM json_each(:ids));

-- name: task.to_validate
SELECT id, status, landed, labels, task_group AS "group" FROM tasks
WHERE deleted = 0 AND iteration > 0 AND (status <> 'closed' OR landed = 1 OR (resolution IN ('approved', 'merged')
  AND id IN (SELECT task FROM findings WHERE blocking = 1 AND state IN ('open', 'claimed', 'disputed', 'waived'))))
ORDER BY n;

-- name: task.of_scope
SELECT id FROM tasks WHERE deleted = 0 AND ((:label <> '' AND id IN (SELECT task FROM task_labels WHERE label = :label))
  OR (:group_name <> '' AND task_group = :group_name)) LIMIT 1;

-- name: task.with_prefix
SELECT id FROM tasks WHERE id >= :low AND id < :high ORDER BY id LIMIT 5;

-- name: task.place
SELECT priority, n FROM tasks WHERE id = :id;

-- name: task.by_key
SELECT t.id, j.payload FROM tasks t JOIN journal j ON j.task = t.id AND j.kind = 'TaskCreated' WHERE t.once_key = :key;

-- name: task.with_key
SELECT id FROM tasks WHERE once_key = :key;

-- name: task.titles
SELECT id, title FROM tasks WHERE deleted = 0 AND (status <> 'closed' OR resolution IN ('approved', 'merged')) ORDER BY CASE WHEN status = 'closed' THEN 1 ELSE 0 END, n;

-- name: task.exists
SELECT id FROM tasks WHERE id = :id;

-- name: task.dependencies
SELECT d.depends_on AS id, t.status, t.title FROM dependencies d JOIN tasks t ON t.id = d.depends_on WHERE d.task = :id ORDER BY d.depends_on;

-- name: task.dependent_tasks
SELECT d.task AS id, t.status, t.title FROM dependencies d JOIN tasks t ON t.id = d.task WHERE d.depends_on = :id ORDER BY d.task;

-- name: task.reaches
WITH RECURSIVE reached (id) AS (
  SELECT t.id FROM tasks t WHERE t.id = :start
  UNION
  SELECT d.depends_on FROM dependencies d JOIN reached r ON d.task = r.id
)
SELECT id FROM reached WHERE id = :goal;

-- name: task.ancestors
WITH RECURSIVE up (id) AS (
  SELECT s.id FROM tasks s WHERE s.id = :start
  UNION
  SELECT t.parent FROM tasks t JOIN up u ON t.id = u.id WHERE t.parent IS NOT NULL
)
SELECT id FROM up;

-- name: task.child_standing
SELECT t.parent AS parent, count(*) AS total, sum(CASE WHEN t.status = 'closed' THEN 1 ELSE 0 END) AS closed
FROM tasks t WHERE t.parent IN (SELECT value FROM json_each(:ids)) AND t.deleted = 0 GROUP BY t.parent;

-- name: task.child_makers
SELECT DISTINCT t.parent AS parent, h.session AS session FROM tasks t JOIN history h ON h.task = t.id
WHERE t.parent IN (SELECT value FROM json_each(:ids)) AND t.deleted = 0
  AND h.action IN ('started', 'unstarted', 'submitted', 'responded', 'committed');

-- name: task.list
SELECT t.n, t.id, t.title, t.type, t.status, t.priority, t.labels, t.parent, t.implementer, t.iteration, t.version, t.minor,
  CASE WHEN t.hold IS NULL THEN 0 ELSE 1 END AS held, CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  t.created_at, t.updated_at
FROM tasks t

-- name: task.list_by_label
SELECT t.n, t.id, t.title, t.type, t.status, t.priority, t.labels, t.parent, t.implementer, t.iteration, t.version, t.minor,
  CASE WHEN t.hold IS NULL THEN 0 ELSE 1 END AS held, CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  t.created_at, t.updated_at
FROM task_labels l CROSS JOIN tasks t ON t.n = l.task_n

-- name: task.list_by_text
SELECT t.n, t.id, t.title, t.type, t.status, t.priority, t.labels, t.parent, t.implementer, t.iteration, t.version, t.minor,
  CASE WHEN t.hold IS NULL THEN 0 ELSE 1 END AS held, CASE WHEN t.rejected_by IS NULL THEN 0 ELSE 1 END AS rejected,
  t.created_at, t.updated_at
FROM task_text x CROSS JOIN tasks t ON t.n = x.rowid

-- name: task.claimed
SELECT t.id AS task, coalesce(s.name, '') AS who, t.waiting_for FROM tasks t LEFT JOIN sessions s ON s.id = t.implementer
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: task.of_particular_mode
SELECT t.id AS id FROM tasks t WHERE t.id IN (SELECT value FROM json_each(:ids)) AND (t.planned <> ''
  OR EXISTS (SELECT 1 FROM attempts a WHERE a.task = t.id) OR EXISTS (SELECT 1 FROM task_labels l WHERE l.task = t.id)
  OR EXISTS (SELECT 1 FROM journal j WHERE j.task = t.id AND j.kind IN ('LabelRemoved', 'TaskEdited')));

-- name: task.where_visible
t.deleted = 0

-- name: task.where_status
t.status = :status

-- name: task.where_live
t.status <> 'closed'

-- name: task.where_label
t.n IN (SELECT l.task_n FROM task_labels l WHERE l.label = :label)

-- name: task.where_priority
t.priority = :priority

-- name: task.where_type
t.type = :type

-- name: task.where_parent
t.parent = :parent

-- name: task.where_mine
t.implementer = :mine AND t.status IN ('in_progress', 'reviewing', 'approved')

-- name: task.where_ready
t.ready = 1 AND t.type <> 'epic'

-- name: task.where_blocked
(t.status = 'blocked' OR (t.status = 'open' AND t.open_deps > 0))

-- name: task.where_unmerged
t.unmerged = 1

-- name: task.where_landed
t.landed = 1

-- name: task.where_text
task_text MATCH :text

-- name: task.where_text_near
t.n > COALESCE(:after_n, (SELECT max(n) + 1 FROM tasks)) - :window AND t.n IN (SELECT rowid FROM task_text WHERE task_text MATCH (:text))

-- name: task.where_text_far
t.n <= COALESCE(:after_n, (SELECT max(n) + 1 FROM tasks)) - :window

-- name: task.where_labelled
l.label = :label

-- name: task.where_labelled_live
l.live = 1

-- name: task.after_priority
(t.priority, t.n) > (:after_priority, :after_n)

-- name: task.after_newest
t.n < :after_n

-- name: task.after_oldest
t.n > :after_n

-- name: task.after_label
(l.priority, l.task_n) > (:after_priority, :after_n)

-- name: task.after_text
x.rowid < :after_n

-- name: task.order_label
ORDER BY l.priority, l.task_n LIMIT :limit

-- name: task.order_text
ORDER BY x.rowid DESC LIMIT :limit

-- name: task.order_priority
ORDER BY t.priority, t.n LIMIT :limit

-- name: task.order_newest
ORDER BY t.n DESC LIMIT :limit

-- name: task.order_oldest
ORDER BY t.n LIMIT :limit

-- name: task.blocking
SELECT d.depends_on AS task, count(*) AS n FROM dependencies d JOIN tasks t ON t.id = d.task
WHERE d.depends_on IN (SELECT value FROM json_each(:ids)) AND t.status <> 'closed' GROUP BY d.depends_on;
