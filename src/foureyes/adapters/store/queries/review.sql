-- Reviews, escalations, and rounds that ended oddly.

-- name: review.insert
INSERT INTO reviews (seq, task, attempt, diff_id, session, verdict, effective, status, summary, files, missing, notes, raised, blocking, actionable, cycle, early_review, unconfirmed, at)
VALUES (:seq, :task, :attempt, :diff_id, :session, :verdict, :effective, :status, :summary, :files, :missing, :notes, :raised, :blocking,
  :actionable, :cycle, :early_review, :unconfirmed, :at);

-- name: review.insert_return
INSERT INTO review_returns (seq, task, attempt, session, why, at) VALUES (:seq, :task, :attempt, :session, :why, :at);

-- name: review.returns
SELECT seq, task, attempt, session, why, at FROM review_returns WHERE task = :task AND attempt = :attempt
  AND (session = :session OR session IN (SELECT x.session FROM runs r
    JOIN runs x ON x.cycle = r.cycle AND x.task = r.task AND x.profile = r.profile WHERE r.session = :session AND r.cycle <> ''))
ORDER BY seq;

-- name: review.of_task
SELECT seq, task, attempt, diff_id, session, verdict, effective, status, summary, files, missing, notes, raised, blocking, actionable, cycle, early_review, at
FROM reviews WHERE task = :task ORDER BY seq;

-- name: review.since_resumed
SELECT seq, task, attempt, diff_id, session, verdict, effective, status, summary, files, missing, notes, raised, blocking, actionable, cycle, early_review, at
FROM reviews WHERE task = :task
  AND seq > coalesce((SELECT max(j.seq) FROM journal j WHERE j.task = :task AND j.kind = 'TaskResumed'), 0) ORDER BY seq;

-- name: review.set_aside
SELECT seq, session, detail FROM security WHERE kind = 'blockers_set_aside' ORDER BY seq;

-- name: review.blocked_by
SELECT r.task, r.session, coalesce(s.name, r.session) AS name, r.summary, r.at FROM tasks t JOIN reviews r ON r.task = t.id
JOIN attempts a ON a.task = t.id AND a.n = t.iteration AND a.diff_id = r.diff_id LEFT JOIN sessions s ON s.id = r.session
WHERE t.status IN ('reviewing', 'approved') AND t.deleted = 0 AND r.verdict = 'blocker' AND r.effective <> 'blocker' AND r.early_review = 0 ORDER BY r.seq DESC;

-- name: review.of_diffs
SELECT r.seq, r.task, r.attempt, r.diff_id, r.session, r.verdict, r.effective, r.status, r.summary, r.files, r.missing, r.notes, r.raised, r.blocking,
  r.actionable, r.cycle, r.early_review, r.at
FROM reviews r JOIN tasks t ON t.id = r.task JOIN attempts a ON a.task = r.task AND a.n = t.iteration AND a.diff_id = r.diff_id
WHERE r.task IN (SELECT value FROM json_each(:ids)) AND r.early_review = 0 ORDER BY r.seq;

-- name: review.escalate
INSERT INTO escalations (seq, task, iteration, tier, lead_option, waiting_for, why, into_tasks, session, at)
VALUES (:seq, :task, :iteration, :tier, :lead_option, :waiting_for, :why, :into_tasks, :session, :at);

-- name: review.escalations
SELECT seq, task, iteration, tier, lead_option AS "option", waiting_for, why, into_tasks AS "into", session, at
FROM escalations WHERE task = :task ORDER BY seq;

-- name: review.agreements
SELECT seq, attempt AS iteration, 'agreed' AS "option", '' AS why FROM approvals WHERE task = :task AND recorded = 0 ORDER BY seq;

-- name: review.last_agent
SELECT s.agent AS agent FROM attempts a JOIN sessions s ON s.id = a.submitted_by WHERE a.task = :task ORDER BY a.n DESC LIMIT 1;

-- name: review.set_tier
UPDATE tasks SET tier = :tier, waiting_for = :waiting_for, version = :seq, updated_at = :at WHERE id = :id;

-- name: review.insert_odd
INSERT INTO odd_ends (seq, task, iteration, how, had, session, at)
SELECT :seq, t.id, t.iteration, :how, (SELECT count(*) FROM findings f WHERE f.task = t.id AND f.blocking = 1 AND f.state IN ('open', 'claimed', 'disputed')),
  :session, :at
FROM tasks t WHERE t.id = :task;

-- name: review.odd_ends
SELECT o.seq, o.iteration, o.how, o.had, j.payload FROM odd_ends o JOIN journal j ON j.seq = o.seq WHERE o.task = :task ORDER BY o.seq;

-- name: review.rounds
SELECT a.n AS n, a.tree AS tree, a.head AS head,
  (SELECT count(*) FROM history h WHERE h.task = a.task AND h.action = 'started' AND h.seq <
    (SELECT min(s.seq) FROM history s WHERE s.task = a.task AND s.action = 'submitted' AND s.attempt = a.n)) AS starts,
  (SELECT coalesce(min(f.seq), 0) FROM feedback f WHERE f.task = a.task AND f.iteration = a.n) AS close_seq,
  (SELECT coalesce(max(p.seq), 0) FROM approvals p WHERE p.task = a.task AND p.attempt = a.n AND p.recorded = 0) AS approved,
  (SELECT count(*) FROM feedback f WHERE f.task = a.task AND f.iteration = a.n AND f.source = 'merge') AS merge_failures
FROM attempts a WHERE a.task = :task ORDER BY a.n;
