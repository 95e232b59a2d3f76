-- Review cycles: who was asked about what, looks, clarifications, flags (V).

-- part: cycle
c.id, c.trigger, c.state, c.quorum, c.seats, c.wide, c.reason, c.follows, c.rule, c.reasons, c.requested, c.answered, c.counting, c.why, c.clarify_until,
  c.clarifiers, c.session, c.at, c.ended_at, c.seq

-- name: cycle.next
SELECT coalesce(max(n), 0) + 1 AS n FROM cycles;

-- name: cycle.insert
INSERT INTO cycles (id, n, trigger, state, task, quorum, seats, wide, reason, follows, session, at, seq)
VALUES (:cycle, :n, :trigger, 'open', :task, :quorum, :seats, :wide, :reason, :follows, :session, :at, :seq);

-- name: cycle.insert_target
INSERT INTO cycle_targets (cycle, task, attempt, early_review, diff_id, summary, seq) VALUES (:cycle, :task, :attempt, :early_review, :diff_id, :summary, :seq);

-- name: cycle.insert_look
INSERT INTO early_reviews (task, n, commit_sha, base, diff_id, files, run, session, at, seq)
VALUES (:task, :n, :commit, :base, :diff_id, :files, :run, :session, :at, :seq);

-- name: cycle.ask
INSERT INTO cycle_asked (cycle, task, reviewer, kind, state, until, at, seq) VALUES (:cycle, :task, :reviewer, :kind, 'asked', :until, :at, :seq)
ON CONFLICT (cycle, task, reviewer) DO UPDATE SET kind = excluded.kind, state = 'asked', until = excluded.until, why = '', text = '', at = excluded.at,
  ended_at = '', seq = excluded.seq;

-- name: cycle.not_given
UPDATE cycle_asked SET state = 'not_given', why = :why, text = :text, ended_at = :at, seq = :seq
WHERE cycle = :cycle AND task = :task AND reviewer = :reviewer AND state = 'asked';

-- name: cycle.answered
UPDATE cycle_asked SET state = 'answered', why = '', text = '', review = :seq, session = :session, ended_at = :at, seq = :seq
WHERE cycle = :cycle AND task = :task AND reviewer = :reviewer;

-- name: cycle.clarify
UPDATE cycles SET state = 'clarifying', clarify_until = :until, clarifiers = :requested, ended_at = '', seq = :seq WHERE id = :cycle AND state = 'decided';

-- name: cycle.insert_point
INSERT INTO clarifications (cycle, id, task, reviewer, review, finding, text, seq) VALUES (:cycle, :id, :task, :reviewer, :review, :finding, :text, :seq);

-- name: cycle.answer_point
UPDATE clarifications SET answer = :text, session = :session, answered_at = :at, seq = :seq WHERE cycle = :cycle AND id = :point AND answer = '';

-- name: cycle.decide
UPDATE cycles SET state = 'decided', rule = :rule, requested = :requested, answered = :answered, counting = :counting, reasons = :reasons, ended_at = :at, seq = :seq
WHERE id = :cycle AND state <> 'ended';

-- name: cycle.end
UPDATE cycles SET state = 'ended', why = :why, ended_at = :at, seq = :seq WHERE id = :cycle AND state IN ('open', 'clarifying');

-- name: cycle.leave
UPDATE cycle_targets SET over = :kind
WHERE task = :task AND over = '' AND EXISTS (SELECT 1 FROM cycles c WHERE c.id = cycle_targets.cycle AND c.state IN ('open', 'clarifying'));

-- name: cycle.leave_last
UPDATE cycles SET state = 'ended', why = :kind, ended_at = :at, seq = :seq
WHERE state IN ('open', 'clarifying') AND id IN (SELECT cycle FROM cycle_targets WHERE task = :task)
  AND NOT EXISTS (SELECT 1 FROM cycle_targets t WHERE t.cycle = cycles.id AND t.over = '');

-- name: cycle.get
SELECT c.task, {cycle} FROM cycles c WHERE c.id = :cycle;

-- name: cycle.unclosed
SELECT k.id FROM cycle_targets t JOIN tasks k ON k.id = t.task WHERE t.cycle = :cycle AND k.status <> 'closed' AND k.deleted = 0 LIMIT 1;

-- name: cycle.chained
SELECT c.state, coalesce((SELECT d.id FROM cycles d WHERE d.follows <> '' AND d.follows = c.id ORDER BY d.n DESC LIMIT 1), '') AS next FROM cycles c WHERE c.id = :cycle;

-- name: cycle.held_by
SELECT t.hold, coalesce(j.session, '') AS session FROM tasks t
LEFT JOIN journal j ON j.seq = (SELECT max(x.seq) FROM journal x WHERE x.task = t.id AND x.kind = 'TaskHeld')
WHERE t.id = :task AND t.hold IS NOT NULL;

-- name: cycle.live
SELECT c.task, {cycle} FROM cycles c WHERE c.state IN ('open', 'clarifying') ORDER BY c.n LIMIT :limit;

-- name: cycle.live_of
SELECT c.task, {cycle} FROM cycles c JOIN cycle_targets t ON t.cycle = c.id WHERE t.task = :task AND t.over = '' AND c.state IN ('open', 'clarifying') ORDER BY c.n;

-- name: cycle.about
SELECT c.task, {cycle} FROM cycles c JOIN cycle_targets t ON t.cycle = c.id WHERE t.task = :task AND t.attempt = :attempt AND t.early_review = :early_review ORDER BY c.n;

-- name: cycle.latest
SELECT c.task, {cycle} FROM cycles c WHERE (CAST(:task AS TEXT) = '' OR c.id IN (SELECT cycle FROM cycle_targets WHERE task = :task)) ORDER BY c.n DESC LIMIT :limit;

-- name: cycle.judged
SELECT coalesce((SELECT max(t.attempt) FROM cycle_targets t JOIN cycles c ON c.id = t.cycle WHERE t.task = k.id AND c.rule IN ('R3', 'R4')), 0) AS attempt,
  CASE WHEN k.status = 'closed' THEN 1 ELSE 0 END AS closed
FROM tasks k WHERE k.id = :task;

-- name: cycle.standing
SELECT t.task, t.attempt, t.early_review, c.id AS cycle, c.state, c.rule,
  coalesce((SELECT p.cycle FROM pauses p JOIN cycle_targets x ON x.cycle = p.cycle AND x.task = t.task JOIN cycles b ON b.id = p.cycle
    WHERE p.made_by = 'rule' AND p.rule = 'R2' AND p.task IN ('', t.task) ORDER BY b.n DESC LIMIT 1), '') AS paused, c.n
FROM cycle_targets t JOIN cycles c ON c.id = t.cycle
WHERE t.task IN (SELECT value FROM json_each(:ids)) AND t.over = '' AND c.state <> 'ended'
UNION ALL
SELECT k.id, k.iteration, 0, p.cycle, 'ended', '', p.cycle, 0 FROM pauses p JOIN cycle_targets x ON x.cycle = p.cycle JOIN tasks k ON k.id = x.task
WHERE p.made_by = 'rule' AND p.rule = 'R2' AND p.task IN ('', k.id) AND k.id IN (SELECT value FROM json_each(:ids))
ORDER BY 8, 4, 1;

-- name: cycle.targets
SELECT cycle, task, attempt, early_review, diff_id, summary, over FROM cycle_targets WHERE cycle IN (SELECT value FROM json_each(:ids)) ORDER BY cycle, task;

-- name: cycle.at_work_since
SELECT count(*) AS runs, coalesce(sum(CASE WHEN r.state <> 'ended' THEN 1 ELSE 0 END), 0) AS live, coalesce(max(r.ended_at), '') AS ended_at
FROM cycle_targets t JOIN runs r ON r.task = t.task AND r.purpose IN ('implement', 'respond') AND (r.state <> 'ended' OR r.seq > :seq)
WHERE t.cycle = :cycle AND t.over = '';

-- name: cycle.asked
SELECT cycle, task, reviewer, kind, state, until, why, text, review, session, at, ended_at FROM cycle_asked
WHERE cycle IN (SELECT value FROM json_each(:ids)) ORDER BY at, task, reviewer;

-- name: cycle.last_asked
SELECT coalesce(max(seq), 0) AS n FROM cycle_asked WHERE reviewer = :reviewer;

-- name: cycle.reviews
SELECT seq, task, attempt, diff_id, session, verdict, effective, status, summary, files, missing, notes, raised, blocking, actionable, cycle, early_review, at
FROM reviews WHERE cycle IN (SELECT value FROM json_each(:ids)) AND cycle <> '' ORDER BY seq;

-- name: cycle.points
SELECT cycle, id, task, reviewer, review, finding, text, answer, session, answered_at FROM clarifications
WHERE cycle IN (SELECT value FROM json_each(:ids)) ORDER BY cycle, review, id;

-- name: cycle.open_points
SELECT p.cycle, p.id, p.task, p.text, p.reviewer FROM clarifications p
JOIN cycles c ON c.id = p.cycle AND c.state = 'clarifying' JOIN cycle_targets t ON t.cycle = p.cycle AND t.task = p.task AND t.over = ''
WHERE p.task = :task AND p.answer = '' ORDER BY c.n, length(p.id), p.id LIMIT :limit;

-- name: cycle.asks_maker
SELECT p.cycle, p.id, p.task, p.text, p.reviewer FROM tasks k JOIN clarifications p ON p.task = k.id AND p.answer = ''
JOIN cycles c ON c.id = p.cycle AND c.state = 'clarifying' JOIN cycle_targets t ON t.cycle = p.cycle AND t.task = p.task AND t.over = ''
WHERE k.implementer = :session AND k.status IN ('in_progress', 'reviewing') ORDER BY c.n, length(p.id), p.id LIMIT :limit;

-- name: cycle.clarified
SELECT p.cycle, p.id, p.task, p.reviewer, p.review, p.finding, p.text, p.answer, coalesce(s.name, p.session) AS session, p.answered_at
FROM cycle_targets t JOIN cycles c ON c.id = t.cycle JOIN clarifications p ON p.cycle = t.cycle AND p.task = t.task LEFT JOIN sessions s ON s.id = p.session
WHERE t.task = :task AND t.attempt = :attempt AND t.early_review = :early_review AND p.answer <> '' ORDER BY c.n, length(p.id), p.id;

-- name: cycle.early_reviews
SELECT task, n, commit_sha AS "commit", base, diff_id, files, coalesce(run, '') AS run, session, at, seq FROM early_reviews WHERE task = :task ORDER BY n;

-- name: cycle.early_review
SELECT task, n, commit_sha AS "commit", base, diff_id, files, coalesce(run, '') AS run, session, at, seq FROM early_reviews WHERE task = :task AND n = :n;

-- name: cycle.unreviewed
SELECT c.id AS cycle, t.task, c.state, c.why, c.reasons, CASE WHEN c.ended_at = '' THEN c.at ELSE c.ended_at END AS at
FROM tasks k CROSS JOIN cycle_targets t CROSS JOIN cycles c
WHERE k.status = 'reviewing' AND k.deleted = 0 AND t.task = k.id AND t.attempt = k.iteration AND c.id = t.cycle
  AND ((c.state = 'decided' AND c.rule = 'R0') OR (c.state = 'ended'
      AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.task = t.task AND r.attempt = t.attempt))
    OR (c.state = 'open' AND NOT EXISTS (SELECT 1 FROM cycle_asked o WHERE o.cycle = c.id AND o.task = t.task)
      AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session AND s.kind = 'service')
      AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.task = t.task AND r.attempt = t.attempt)))
  AND NOT EXISTS (SELECT 1 FROM cycle_targets u JOIN cycles d ON d.id = u.cycle WHERE u.task = t.task AND u.attempt = t.attempt AND d.n > c.n)
ORDER BY c.n DESC LIMIT :limit;

-- name: cycle.flagged
-- CROSS JOIN: from the tasks that are not closed; what was ever flagged grows with the years.
SELECT t.task, {cycle} FROM tasks k CROSS JOIN cycle_targets t CROSS JOIN cycles c
WHERE k.status <> 'closed' AND k.deleted = 0 AND t.task = k.id AND c.id = t.cycle AND c.rule IN ('R0', 'R1', 'R2', 'R3') AND c.state <> 'ended'
  AND NOT EXISTS (SELECT 1 FROM cycle_targets u JOIN cycles d ON d.id = u.cycle WHERE u.task = t.task AND d.rule <> '' AND d.n > c.n
    AND (c.rule = 'R0' OR u.attempt > t.attempt))
ORDER BY c.n DESC LIMIT :limit;

-- name: cycle.settled
SELECT DISTINCT r.seq AS n FROM reviews r JOIN reviews s ON s.task = r.task AND s.seq > r.seq AND s.effective = 'approved' AND s.missing = '[]'
LEFT JOIN cycle_asked a ON a.cycle = r.cycle AND a.task = r.task AND a.session = r.session AND a.kind = 'profile'
LEFT JOIN cycle_asked b ON b.cycle = s.cycle AND b.task = s.task AND b.session = s.session AND b.kind = 'profile'
WHERE r.cycle IN (SELECT value FROM json_each(:ids)) AND r.cycle <> '' AND r.effective <> 'approved'
  AND (s.session = r.session OR a.reviewer = b.reviewer)
ORDER BY r.seq;

-- name: cycle.waits_for_people
SELECT a.cycle, a.task, a.reviewer, a.at FROM cycle_asked a JOIN cycles c ON c.id = a.cycle JOIN cycle_targets t ON t.cycle = a.cycle AND t.task = a.task
WHERE c.state = 'open' AND t.over = '' AND a.state = 'asked' AND a.kind = 'person'
  AND NOT EXISTS (SELECT 1 FROM cycle_asked o WHERE o.cycle = a.cycle AND o.state = 'asked' AND o.kind <> 'person')
UNION ALL
SELECT c.id AS cycle, t.task, '' AS reviewer, c.at FROM cycles c JOIN cycle_targets t ON t.cycle = c.id JOIN sessions s ON s.id = c.session AND s.kind <> 'service'
WHERE c.state IN ('open', 'clarifying') AND c.state = 'open' AND t.over = ''
  AND NOT EXISTS (SELECT 1 FROM cycle_asked o WHERE o.cycle = c.id AND o.task = t.task)
  AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.cycle = c.id AND r.cycle <> '' AND r.task = t.task)
ORDER BY 4, 1, 2, 3 LIMIT :limit;

-- name: cycle.at_work
SELECT id FROM tasks WHERE status = 'in_progress' AND deleted = 0 ORDER BY n LIMIT :limit;

-- name: cycle.stands
SELECT id, status, hold FROM tasks WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted = 0;
