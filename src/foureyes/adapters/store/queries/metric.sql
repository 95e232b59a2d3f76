-- Figures (Y): each question is asked once for the whole project, never once per task.

-- What happened to findings, over the moves that stand (L18). A finding is missed if its change was approved before (D7).
-- name: metric.findings
SELECT f.session,
  CASE WHEN f.source IN ('review', 'person', 'session') THEN 1 ELSE 0 END AS spoken,
  count(*) AS findings,
  count(CASE WHEN f.blocking = 1 THEN 1 END) AS blocking,
  count(CASE WHEN f.blocking = 1 AND t.status <> 'closed'
    AND (f.state IN ('open', 'claimed', 'disputed') OR (f.state = 'waived' AND f.waived_until <= :now)) THEN 1 END) AS open_blocking,
  count(CASE WHEN f.blocking = 1 AND m.rejected = 1 THEN 1 END) AS rejected,
  count(CASE WHEN f.blocking = 1 AND m.rejected = 1 AND m.accepted = 1 THEN 1 END) AS accepted,
  count(CASE WHEN f.blocking = 0 AND (f.tracked <> '' OR (f.answer = 'FIXED' AND f.state IN ('claimed', 'resolved'))
    OR (f.by_check <> '' AND f.state = 'resolved')) THEN 1 END) AS adopted,
  count(CASE WHEN m.upheld + m.dropped > 0 THEN 1 END) AS judged,
  count(CASE WHEN m.upheld > m.dropped THEN 1 END) AS upheld,
  count(CASE WHEN f.anchored = 0 THEN 1 END) AS unanchored,
  count(CASE WHEN f.blocking = 1 AND EXISTS (
    SELECT 1 FROM approvals p JOIN attempts a ON a.task = p.task AND a.n = f.raised AND a.diff_id = p.diff_id
    WHERE p.task = f.task AND p.seq < f.seq AND p.recorded = 0) THEN 1 END) AS missed
FROM findings f JOIN tasks t ON t.id = f.task JOIN (
  SELECT root,
    max(CASE WHEN kind = 'answered' AND word = 'REJECTED' THEN 1 ELSE 0 END) AS rejected,
    max(CASE WHEN kind = 'ruled' AND word = 'ACCEPTED' THEN 1 ELSE 0 END) AS accepted,
    max(CASE WHEN kind = 'ruled' AND word IN ('VERIFIED', 'NOT_FIXED', 'OVERRULED', 'CONFIRMED') THEN seq ELSE 0 END) AS upheld,
    max(CASE WHEN (kind = 'ruled' AND word IN ('ACCEPTED', 'DISMISSED')) OR (kind = 'cleared' AND word = 'withdrawn') THEN seq ELSE 0 END) AS dropped
  FROM finding_moves WHERE undone = 0 AND kind <> 'taken_back' GROUP BY root) m ON m.root = f.root
GROUP BY 1, 2 ORDER BY 1, 2;

-- Lists are stored as JSON text without blanks: a quote within a name is escaped, so what is counted here occurs once per entry.
-- name: metric.reviews
SELECT r.session, r.at, a.submitted_at, r.actionable,
  (length(a.files) - length(replace(a.files, '"path":', ''))) / 7 AS changed,
  CASE WHEN r.missing = '[]' THEN 0 ELSE 1 + (length(r.missing) - length(replace(r.missing, '","', ''))) / 3 END AS unread,
  CASE WHEN r.unconfirmed = '[]' THEN 0 ELSE 1 + (length(r.unconfirmed) - length(replace(r.unconfirmed, '","', ''))) / 3 END AS unconfirmed
FROM reviews r JOIN attempts a ON a.task = r.task AND a.n = r.attempt ORDER BY r.seq;

-- name: metric.returns
SELECT session, count(*) AS n FROM review_returns GROUP BY session ORDER BY session;

-- name: metric.reviewers
SELECT s.id, s.name, s.kind, s.agent, s.model,
  coalesce((SELECT max(r.profile) FROM runs r WHERE r.session = s.id AND r.purpose = 'review'), '') AS profile
FROM sessions s WHERE s.id IN (
  SELECT session FROM reviews UNION SELECT session FROM review_returns
  UNION SELECT session FROM findings WHERE source IN ('review', 'person', 'session'))
ORDER BY s.id;

-- True blocking findings of others in the very attempt that somebody approved, whoever was first.
-- name: metric.agreed
SELECT r.session, count(DISTINCT f.root) AS n
FROM reviews r JOIN findings f ON f.task = r.task AND f.raised = r.attempt AND f.session <> r.session
WHERE r.effective = 'approved' AND r.early_review = 0 AND f.blocking = 1 AND f.by_check = ''
  AND f.ruling IN ('VERIFIED', 'NOT_FIXED', 'OVERRULED', 'CONFIRMED')
GROUP BY r.session ORDER BY r.session;

-- name: metric.review_runs
SELECT profile, count(*) AS runs, sum(seconds) AS seconds, sum(input_tokens) AS input_tokens,
  sum(output_tokens) AS output_tokens, sum(cost_micros) AS cost_micros
FROM runs WHERE purpose = 'review' AND state = 'ended' AND ending <> 'unstarted' GROUP BY profile ORDER BY profile;

-- name: metric.approvals
SELECT count(*) AS tasks, coalesce(sum(g.n), 0) AS iterations, coalesce(sum(g.by_rule), 0) AS automatic,
  coalesce(sum(g.found), 0) AS with_findings, coalesce(sum(g.n * g.found), 0) AS iterations_with_findings
FROM (
  SELECT max(p.attempt) AS n, min(CASE WHEN p.rule = 'M4' THEN 1 ELSE 0 END) AS by_rule,
    max(CASE WHEN EXISTS (SELECT 1 FROM findings f WHERE f.task = p.task AND f.blocking = 1) THEN 1 ELSE 0 END) AS found
  FROM approvals p WHERE p.state = 'active' AND p.recorded = 0 GROUP BY p.task) g;

-- The rounds of a tier begin after the step to it; that the lead is asked (L14), or lets it go on, is no such step.
-- name: metric.escalations
SELECT count(*) AS n, count(CASE WHEN EXISTS (
    SELECT 1 FROM finding_moves m JOIN findings f ON f.root = m.root
    WHERE m.task = e.task AND m.kind IN ('raised', 'flagged') AND m.blocking = 1 AND m.seq < e.seq
      AND m.seq > coalesce((SELECT max(b.seq) FROM escalations b
        WHERE b.task = e.task AND b.seq < e.seq AND b.lead_option NOT IN ('asked', 'continue')), 0)
      AND f.by_check = '' AND (f.path = '' OR f.fix = '')) THEN 1 END) AS unclear
FROM escalations e WHERE e.lead_option IN ('', 'ask');
