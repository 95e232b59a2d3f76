-- Statements of the journal: append, read, verify.

-- name: journal.head
SELECT seq, hash FROM head WHERE one = 1;

-- name: journal.end
SELECT head.seq, head.hash, (SELECT max(seq) FROM security) AS security,
  (SELECT value FROM settings WHERE name = 'store:place') AS place, last.seq AS last, last.hash AS ended
FROM (SELECT 1 AS one) AS here LEFT JOIN head ON head.one = here.one
LEFT JOIN journal AS last ON last.seq = (SELECT max(seq) FROM journal);

-- name: journal.row
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal WHERE seq = :seq;

-- name: journal.numbers
SELECT seq FROM journal WHERE seq > :after ORDER BY seq;

-- name: journal.last
SELECT seq, kind, hash FROM journal ORDER BY seq DESC LIMIT 5;

-- name: journal.at
SELECT hash FROM journal WHERE seq = :seq;

-- name: journal.some
SELECT seq, hash FROM journal WHERE seq IN (SELECT CAST(value AS INTEGER) FROM json_each(:seqs)) ORDER BY seq;

-- name: journal.move_head
UPDATE head SET seq = :seq, hash = :hash WHERE one = 1;

-- name: journal.insert
INSERT INTO journal (seq, at, project, task, session, kind, payload, prev, hash)
VALUES (:seq, :at, :project, :task, :session, :kind, :payload, :prev, :hash);

-- name: journal.all
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal ORDER BY seq;

-- name: journal.page
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: journal.latest
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal WHERE seq < :before ORDER BY seq DESC LIMIT :limit;

-- name: journal.events
SELECT seq, at, task, session, kind, payload FROM journal
WHERE seq < :before AND kind NOT IN (SELECT value FROM json_each(:quiet)) ORDER BY seq DESC LIMIT :limit;

-- name: journal.events_since
SELECT seq, at, task, session, kind, payload FROM journal
WHERE seq > :after AND kind NOT IN (SELECT value FROM json_each(:quiet)) ORDER BY seq LIMIT :limit;

-- name: journal.touched
SELECT DISTINCT task, kind FROM journal WHERE seq > :after;

-- name: journal.of_task
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal
WHERE task = :task AND seq < :before ORDER BY seq DESC LIMIT :limit;

-- name: journal.claims
SELECT kind FROM journal WHERE task = :task AND kind IN ('TaskStarted', 'TaskReserved', 'ReservationEnded')
ORDER BY seq DESC LIMIT 2;

-- name: journal.shown
SELECT seq, task, at, session, kind, payload FROM journal
WHERE task = '' AND session = :session AND kind IN ('SessionStarted', 'SessionEvidenceAdded') ORDER BY seq;

-- name: journal.of_task_since
SELECT seq, at, project, task, session, kind, payload, prev, hash FROM journal WHERE task = :task AND seq > :after ORDER BY seq;

-- name: journal.edits
SELECT seq, at, session, kind, payload FROM journal WHERE task = :task
  AND kind IN ('TaskEdited', 'DependencyRemoved', 'LabelAdded', 'LabelRemoved', 'MinorSet', 'ParentChanged') ORDER BY seq;

-- name: journal.controls
SELECT seq, task, at, session, kind, payload FROM journal WHERE task IN (SELECT value FROM json_each(:ids))
  AND kind IN ('TaskCreated', 'LabelAdded', 'LabelRemoved', 'MinorSet', 'TaskEdited', 'TaskStarted', 'PlanAccepted') ORDER BY seq;

-- name: journal.signed
SELECT seq, task, at, session, kind, payload FROM journal
WHERE kind IN ('TaskCreated', 'LabelAdded', 'LabelRemoved', 'MinorSet', 'TaskEdited', 'PlanAccepted')
  AND payload LIKE '%"signed_by":"%' AND payload NOT LIKE '%"signed_by":""%' ORDER BY seq;

-- name: journal.raised
SELECT seq, task, at, session, kind, payload FROM journal WHERE task IN (SELECT value FROM json_each(:ids))
  AND kind = 'FindingsRaised' ORDER BY seq;

-- name: journal.checks
SELECT seq, task, at, session, payload FROM journal WHERE task = :task AND kind = 'CheckFinished' ORDER BY seq DESC LIMIT :limit;

-- name: journal.check
SELECT seq, task, at, session, payload FROM journal WHERE seq = :seq AND kind = 'CheckFinished';

-- name: journal.checks_on
SELECT seq, task, at, session, payload FROM journal WHERE kind = 'CheckFinished'
  AND seq IN (SELECT c.seq FROM checks c WHERE c.tree = :tree) ORDER BY seq DESC;

-- name: journal.approved
SELECT seq, task, at, session, kind, payload FROM journal WHERE seq IN (SELECT CAST(value AS INTEGER) FROM json_each(:seqs))
  AND kind = 'Approved' ORDER BY seq;

-- name: journal.count
SELECT count(*) AS n FROM journal;

-- name: journal.misdated
SELECT seq, at, above FROM (SELECT seq, at, lag(at) OVER (ORDER BY seq) AS above FROM journal) AS dated
WHERE at < above OR at > :now ORDER BY seq;
