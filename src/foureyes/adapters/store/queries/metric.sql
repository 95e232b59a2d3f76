-- Figures (Y): each question is asked once for the whole project, never once per task.

-- What happened to each finding, over the moves that stand (L18). A change is what an approval was given to (D7): a
-- finding raised after that was missed, in whichever attempt the same change is.
-- name: metric.findings
SELECT f.session, f.blocking, f.state, f.waived_until, f.answer, f.anchored,
  CASE WHEN f.source IN ('review', 'person', 'session') THEN 1 ELSE 0 END AS spoken,
  CASE WHEN f.by_check <> '' THEN 1 ELSE 0 END AS checked,
  CASE WHEN f.tracked <> '' THEN 1 ELSE 0 END AS tracked,
  CASE WHEN t.status = 'closed' THEN 1 ELSE 0 END AS task_closed,
  m.rejected, m.accepted, m.fixed_right, m.fixed_wrong, m.settled, m.reopened, m.upheld, m.dropped,
  CASE WHEN f.blocking = 1 AND EXISTS (
    SELECT 1 FROM approvals p JOIN attempts a ON a.task = p.task AND a.n = f.raised AND a.diff_id = p.diff_id
    WHERE p.task = f.task AND p.seq < f.seq AND p.recorded = 0) THEN 1 ELSE 0 END AS missed
FROM findings f JOIN tasks t ON t.id = f.task JOIN (
  SELECT root,
    max(CASE WHEN kind = 'answered' AND word = 'REJECTED' THEN 1 ELSE 0 END) AS rejected,
    max(CASE WHEN kind = 'ruled' AND word = 'ACCEPTED' THEN 1 ELSE 0 END) AS accepted,
    sum(CASE WHEN was = 'claimed' AND ((kind = 'ruled' AND word = 'VERIFIED') OR (kind = 'cleared' AND word = 'check')) THEN 1 ELSE 0 END) AS fixed_right,
    sum(CASE WHEN was = 'claimed' AND ((kind = 'ruled' AND word = 'NOT_FIXED') OR (kind = 'flagged' AND now = 'open')) THEN 1 ELSE 0 END) AS fixed_wrong,
    max(CASE WHEN now IN ('resolved', 'obsolete') THEN 1 ELSE 0 END) AS settled,
    max(CASE WHEN kind = 'flagged' AND was IN ('resolved', 'obsolete') AND now = 'open' THEN 1 ELSE 0 END) AS reopened,
    max(CASE WHEN kind = 'ruled' AND word IN ('VERIFIED', 'NOT_FIXED', 'OVERRULED', 'CONFIRMED') THEN seq ELSE 0 END) AS upheld,
    max(CASE WHEN (kind = 'ruled' AND word IN ('ACCEPTED', 'DISMISSED')) OR (kind = 'cleared' AND word = 'withdrawn') THEN seq ELSE 0 END) AS dropped
  FROM finding_moves WHERE undone = 0 AND kind <> 'taken_back' GROUP BY root) m ON m.root = f.root
ORDER BY f.seq, f.root;

-- Lists are stored as JSON text without blanks: a quote within a name is escaped, so what is counted here occurs once per entry.
-- name: metric.reviews
SELECT r.session, r.at, a.submitted_at, r.actionable,
  (length(a.files) - length(replace(a.files, '"path":', ''))) / 7 AS changed,
  CASE WHEN r.missing = '[]' THEN 0 ELSE 1 + (length(r.missing) - length(replace(r.missing, '","', ''))) / 3 END AS unread,
  CASE WHEN r.untold = '[]' THEN 0 ELSE 1 + (length(r.untold) - length(replace(r.untold, '","', ''))) / 3 END AS untold
FROM reviews r JOIN attempts a ON a.task = r.task AND a.n = r.attempt ORDER BY r.seq;

-- name: metric.returns
SELECT session, why, count(*) AS n FROM review_returns GROUP BY session, why ORDER BY session, why;

-- name: metric.reviewers
SELECT s.id, s.name, s.kind, s.agent, s.model,
  coalesce((SELECT max(r.profile) FROM runs r WHERE r.session = s.id AND r.purpose = 'review'), '') AS profile
FROM sessions s WHERE s.id IN (
  SELECT session FROM reviews UNION SELECT session FROM review_returns
  UNION SELECT session FROM findings WHERE source IN ('review', 'person', 'session'))
ORDER BY s.id;

-- True blocking findings of others in the very attempt that somebody agreed to, whoever was first.
-- name: metric.missed
SELECT r.session, count(DISTINCT f.root) AS n
FROM reviews r JOIN findings f ON f.task = r.task AND f.raised = r.attempt AND f.session <> r.session
WHERE r.effective = 'approved' AND r.look = 0 AND f.blocking = 1 AND f.by_check = ''
  AND f.ruling IN ('VERIFIED', 'NOT_FIXED', 'OVERRULED', 'CONFIRMED')
GROUP BY r.session ORDER BY r.session;

-- name: metric.review_runs
SELECT profile, seconds, input_tokens, output_tokens, cost_micros FROM runs
WHERE purpose = 'review' AND state = 'ended' AND ending <> 'unstarted' ORDER BY seq DESC LIMIT :limit;

-- name: metric.approvals
SELECT g.n AS iterations, count(*) AS tasks, sum(g.by_rule) AS automatic FROM (
  SELECT task, max(attempt) AS n, min(CASE WHEN rule = 'M4' THEN 1 ELSE 0 END) AS by_rule
  FROM approvals WHERE state = 'active' AND recorded = 0 GROUP BY task) g
GROUP BY g.n ORDER BY g.n;

-- The rounds of a tier begin after the step to it; that the lead is asked (L14), or lets it go on, is no such step.
-- name: metric.escalations
SELECT e.tier, CASE WHEN EXISTS (
    SELECT 1 FROM finding_moves m JOIN findings f ON f.root = m.root
    WHERE m.task = e.task AND m.kind IN ('raised', 'flagged') AND m.blocking = 1 AND m.seq < e.seq
      AND m.seq > coalesce((SELECT max(b.seq) FROM escalations b
        WHERE b.task = e.task AND b.seq < e.seq AND b.lead_option NOT IN ('asked', 'continue')), 0)
      AND f.by_check = '' AND (f.path = '' OR f.fix = '')) THEN 1 ELSE 0 END AS unclear
FROM escalations e WHERE e.lead_option IN ('', 'ask') ORDER BY e.seq;

-- The latest closed tasks, row by row of the journal. An approval that was only recorded never moved its task (P11).
-- name: metric.statuses
SELECT j.task, j.at, j.kind,
  CASE WHEN j.kind IN ('Approved', 'ApprovalFinished') AND j.payload LIKE '%"status":"closed"%' THEN 1 ELSE 0 END AS closes
FROM (SELECT id FROM tasks WHERE status = 'closed' AND deleted = 0 ORDER BY closed_at DESC, n DESC LIMIT :limit) t
JOIN journal j ON j.task = t.id
WHERE j.kind IN ('TaskCreated', 'TaskStarted', 'TaskUnstarted', 'TaskReleased', 'AttemptSubmitted', 'Approved', 'ApprovalFinished',
    'ApprovalWithdrawn', 'ApprovalEnded', 'ApprovalVoided', 'AttemptSentBack', 'RedoRequested', 'TaskRejected', 'TaskBlocked',
    'TaskUnblocked', 'TaskDeferred', 'TaskUndeferred', 'TaskMerged', 'MergeFailed', 'TaskClosed', 'TaskCancelled', 'TaskDeleted',
    'TaskReopened')
  AND NOT (j.kind IN ('ApprovalWithdrawn', 'ApprovalEnded', 'ApprovalVoided') AND EXISTS (
    SELECT 1 FROM approvals p WHERE p.task = j.task AND p.recorded = 1 AND j.payload LIKE '{"approval":' || p.seq || ',%'))
ORDER BY j.task, j.seq;

-- name: metric.closed
SELECT count(*) AS n FROM tasks WHERE status = 'closed' AND deleted = 0;

-- name: metric.exceptions
SELECT kind, count(*) AS n FROM security GROUP BY kind ORDER BY kind;

-- Tasks that are going round: somebody waits for a decision, something came back, or something blocking was found.
-- name: metric.loops
SELECT t.id FROM tasks t
WHERE t.deleted = 0 AND t.status NOT IN ('approved', 'closed') AND t.iteration > 0 AND (t.waiting_for <> '' OR t.tier <> 'developer'
  OR EXISTS (SELECT 1 FROM feedback b WHERE b.task = t.id)
  OR EXISTS (SELECT 1 FROM findings f WHERE f.task = t.id AND f.blocking = 1))
ORDER BY CASE WHEN t.waiting_for <> '' THEN 0 ELSE 1 END, t.iteration DESC, t.n;

-- name: metric.odd_ends
SELECT how AS kind, count(*) AS n FROM odd_ends GROUP BY how ORDER BY how;

-- name: metric.steps
SELECT CASE WHEN lead_option = '' THEN 'escalated' ELSE lead_option END AS kind, count(*) AS n
FROM escalations GROUP BY lead_option ORDER BY lead_option;
