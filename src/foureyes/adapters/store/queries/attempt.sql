-- Attempts, author sets, history, approvals, feedback.

-- name: attempt.insert
INSERT INTO attempts (task, n, base, head, tree, ref, diff_id, landed, no_code, files, commits, added, removed, message,
  submitted_by, via, submitted_at, duration_seconds, relation, signal, base_tree, marks, size, clone)
VALUES (:task, :n, :base, :head, :tree, :ref, :diff_id, :landed, :no_code, :files, :commits, :added, :removed, :message,
  :submitted_by, :via, :at, :duration_seconds, :relation, :signal, :base_tree, :marks, :size, :clone);

-- name: attempt.set_marks
UPDATE attempts SET marks = :marks WHERE task = :task AND n = :n;

-- name: attempt.insert_author
INSERT INTO authors (task, attempt, session, why) VALUES (:task, :attempt, :session, :why) ON CONFLICT (task, attempt, session) DO NOTHING;

-- name: attempt.insert_history
INSERT INTO history (seq, task, session, action, attempt, via, at) VALUES (:seq, :task, :session, :action, :attempt, :via, :at)
ON CONFLICT (task, seq, session, action) DO NOTHING;

-- name: attempt.of_task
SELECT n, base, head, tree, ref, diff_id, landed, no_code, files, commits, added, removed, message, submitted_by, via, submitted_at,
  duration_seconds, relation, signal, base_tree, marks, size, clone
FROM attempts WHERE task = :task ORDER BY n;

-- name: attempt.kept
SELECT a.task AS task, a.n, a.head, a.tree, a.ref, a.landed, a.clone,
  CASE WHEN t.resolution = 'merged' THEN 1 ELSE 0 END AS merged
FROM attempts a JOIN tasks t ON t.id = a.task ORDER BY a.task, a.n;

-- name: attempt.latest
SELECT a.task AS task, a.n, a.base, a.head, a.tree, a.ref, a.diff_id, a.landed, a.no_code, a.files, a.commits, a.added, a.removed,
  a.message, a.submitted_by, a.via, a.submitted_at, a.duration_seconds, a.relation, a.signal, a.base_tree, a.marks, a.size, a.clone
FROM attempts a JOIN tasks t ON t.id = a.task AND t.iteration = a.n
WHERE a.task IN (SELECT value FROM json_each(:ids));

-- name: attempt.earlier
SELECT a.task AS task, a.n, a.diff_id, a.relation FROM attempts a JOIN tasks t ON t.id = a.task AND a.n < t.iteration
WHERE a.task IN (SELECT value FROM json_each(:ids)) ORDER BY a.task, a.n;

-- name: attempt.authors
SELECT task, session, why, attempt FROM authors WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, session, attempt;

-- name: attempt.history
SELECT task, session, action, attempt, via, at FROM history WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, seq, action, session;

-- name: attempt.insert_approval
INSERT INTO approvals (seq, task, attempt, session, diff_id, rule, exception, reason, seen, grade, at, state, ended_why, batch, gone, viewed)
VALUES (:seq, :task, :attempt, :session, :diff_id, :rule, :exception, :reason, :seen, :grade, :at, 'active', '', :batch, :gone, :viewed);

-- name: attempt.end_approval
UPDATE approvals SET state = :state, ended_why = :why WHERE seq = :approval AND state = 'active';

-- name: attempt.end_approvals
UPDATE approvals SET state = 'ended', ended_why = :why WHERE task = :task AND state = 'active';

-- name: attempt.approvals
SELECT seq, task, attempt, session, diff_id, rule, exception, reason, seen, grade, at, state, ended_why, recorded,
  finished_by, finished_why, batch, gone, viewed
FROM approvals WHERE task = :task ORDER BY seq;

-- name: attempt.active_approvals
SELECT seq, task, attempt, session, diff_id, rule, exception, reason, seen, grade, at, state, ended_why, recorded,
  finished_by, finished_why, batch, gone, viewed
FROM approvals WHERE task = :task AND state = 'active' ORDER BY seq;

-- name: attempt.record_approval
UPDATE approvals SET recorded = 1 WHERE seq = :approval;

-- name: attempt.finish_approval
UPDATE approvals SET recorded = 0, finished_by = :session, finished_why = :reason WHERE seq = :approval;

-- name: attempt.is_recorded
SELECT seq FROM approvals WHERE seq = :approval AND recorded = 1;

-- name: attempt.recorded
SELECT seq, task, session, diff_id, reason, exception FROM approvals
WHERE recorded = 1 AND state = 'active' AND task IN (SELECT value FROM json_each(:ids)) ORDER BY seq;

-- name: attempt.clear
INSERT INTO cleared (task, session, attempt, seq) VALUES (:task, :session, :attempt, :seq)
ON CONFLICT (task, session) DO UPDATE SET attempt = excluded.attempt, seq = excluded.seq;

-- name: attempt.cleared
SELECT task, session, attempt FROM cleared WHERE task IN (SELECT value FROM json_each(:ids)) ORDER BY task, session;

-- name: attempt.minor_self_approvals
SELECT session, count(*) AS n FROM security WHERE kind = 'minor' AND at >= :since GROUP BY session ORDER BY session;

-- name: attempt.insert_feedback
INSERT INTO feedback (seq, task, iteration, session, decision, text, at, quick_issues, redo_option, reset_to, priority_change, source, viewed)
VALUES (:seq, :task, :iteration, :session, :decision, :text, :at, :quick_issues, :option, :reset_to, :priority, :source, :viewed);

-- name: attempt.feedback
SELECT seq, iteration, session, decision, text, at, quick_issues, redo_option AS "option", reset_to, priority_change AS priority, source, viewed
FROM feedback WHERE task = :task ORDER BY seq;

-- name: attempt.all_feedback
SELECT task, seq, iteration, session, decision, text, at, quick_issues, redo_option AS "option", reset_to,
  priority_change AS priority, source, viewed
FROM feedback ORDER BY task, seq;

-- name: attempt.all_approvals
SELECT seq, task, attempt, session, diff_id, rule, exception, reason, seen, grade, at, state, ended_why, recorded,
  finished_by, finished_why, batch, gone, viewed
FROM approvals ORDER BY task, seq;

-- name: attempt.any_decision
SELECT 1 AS n FROM feedback UNION ALL SELECT 1 AS n FROM approvals WHERE recorded = 0 LIMIT 1;

-- name: attempt.count_feedback
SELECT count(*) AS n FROM feedback WHERE task = :task;

-- name: attempt.decided_by_agent
SELECT s.agent AS agent, count(*) AS n FROM (
  SELECT task, attempt FROM approvals WHERE recorded = 0 UNION SELECT task, iteration AS attempt FROM feedback
) d JOIN attempts a ON a.task = d.task AND a.n = d.attempt JOIN sessions s ON s.id = a.submitted_by
WHERE s.agent <> '' GROUP BY s.agent;
