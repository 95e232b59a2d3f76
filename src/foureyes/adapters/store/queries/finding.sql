-- Findings: one row per root, every id that names it, and every move it made.

-- name: finding.insert
INSERT INTO findings (root, id, task, kind, severity, blocking, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source,
  by_check, session, raised, flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by,
  false_fixes, reopened, waived_until, tracked, alike, seq, at)
VALUES (:root, :id, :task, :kind, :severity, :blocking, :title, :path, :line, :problem, :fix, :why, :quote, :symbol, :rule, :fix_patch, :tool, :mark, :source,
  :by_check, :session, :iteration, :iteration, 1, :state, :note, :anchored, :waiting, 0, 0, '', 0, NULL, '', NULL, 0, 0, '', '', :alike, :seq, :at);

-- name: finding.flag
UPDATE findings SET id = :id, severity = :severity, blocking = :blocking, title = :title, path = :path, line = :line, problem = :problem, fix = :fix,
  why = :why, quote = :quote, symbol = :symbol, rule = :rule, fix_patch = :fix_patch, tool = :tool, mark = :mark, note = :note, anchored = :anchored, waiting = :waiting,
  flags = flags + CASE WHEN flagged < :iteration THEN 1 ELSE 0 END, flagged = :iteration, left_diff = 0, alike = :alike,
  false_fixes = false_fixes + CASE WHEN state = 'claimed' AND :state = 'open' THEN 1 ELSE 0 END,
  reopened = reopened + CASE WHEN state IN ('resolved', 'obsolete') AND :state = 'open' THEN 1 ELSE 0 END,
  state = :state
WHERE root = :root;

-- name: finding.insert_id
INSERT INTO finding_ids (id, root, task, stem, n) VALUES (:id, :root, :task, :stem, :n);

-- name: finding.last_n
SELECT coalesce(max(n), 0) AS n FROM finding_ids WHERE stem = :stem;

-- name: finding.insert_move
INSERT INTO finding_moves (seq, root, task, iteration, kind, word, was, now, words, ground, commit_sha, debt, blocking, undone, session, at)
VALUES (:seq, :root, :task, :iteration, :kind, :word, :was, :now, :words, :ground, :commit_sha, :debt, :blocking, 0, :session, :at);

-- name: finding.undo_move
UPDATE finding_moves SET undone = 1 WHERE root = :root AND seq = :ruling;

-- name: finding.state
SELECT state, blocking, id FROM findings WHERE root = :root;

-- name: finding.root_of
SELECT root FROM finding_ids WHERE id = :id;

-- name: finding.move_of
SELECT was, now, word FROM finding_moves WHERE root = :root AND seq = :seq;

-- name: finding.answer
UPDATE findings SET state = :now, answer = :word, answered = :iteration, answered_by = :session, ruling = '', ruled_by = NULL WHERE root = :root;

-- name: finding.rule
UPDATE findings SET false_fixes = false_fixes + CASE WHEN :word = 'NOT_FIXED' THEN 1 ELSE 0 END,
  must_fix = CASE WHEN :word = 'OVERRULED' THEN 1 ELSE must_fix END, waiting = CASE WHEN :word IN ('CONFIRMED', 'DISMISSED') THEN 0 ELSE waiting END,
  state = :now, ruling = :word, ruled_by = :session
WHERE root = :root;

-- name: finding.unrule
UPDATE findings SET false_fixes = false_fixes - CASE WHEN :word = 'NOT_FIXED' THEN 1 ELSE 0 END,
  must_fix = CASE WHEN :word = 'OVERRULED' THEN 0 ELSE must_fix END, waiting = CASE WHEN :word IN ('CONFIRMED', 'DISMISSED') THEN 1 ELSE waiting END,
  state = :now, ruling = '', ruled_by = NULL
WHERE root = :root;

-- name: finding.clear
UPDATE findings SET state = :now WHERE root = :root;

-- name: finding.waive
UPDATE findings SET state = 'waived', waived_until = :until WHERE root = :root;

-- name: finding.withdraw
UPDATE findings SET state = 'resolved', waiting = 0, ruling = '', ruled_by = :session WHERE root = :root;

-- name: finding.place
UPDATE findings SET path = :path, line = :line, left_diff = :left_diff WHERE root = :root;

-- name: finding.track
UPDATE findings SET tracked = :follow_up WHERE root = :root;

-- name: finding.of_task
SELECT root, id, task, kind, severity, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check, session, raised,
  flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes, reopened,
  waived_until, tracked, alike, seq, at
FROM findings WHERE task = :task ORDER BY seq, root;

-- name: finding.one
SELECT f.root, f.id, f.task, kind, severity, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check, session, raised,
  flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes, reopened,
  waived_until, tracked, alike, seq, at
FROM findings f JOIN finding_ids i ON i.root = f.root WHERE i.id = :id;

-- What one row of the journal raised.
-- name: finding.raised_in
SELECT f.root, f.id, f.task, f.kind, severity, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check, f.session, raised,
  flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes, reopened,
  waived_until, tracked, alike, f.seq, f.at
FROM findings f JOIN finding_moves m ON m.root = f.root
WHERE m.task = :task AND m.seq = :seq AND m.kind IN ('raised', 'flagged') ORDER BY f.root;

-- name: finding.of_project
SELECT root, id, task, kind, severity, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check, session, raised,
  flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes, reopened,
  waived_until, tracked, alike, seq, at
FROM findings WHERE seq > :after ORDER BY seq, root LIMIT :limit;

-- name: finding.at_seq
SELECT root, id, task, kind, severity, title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check, session, raised,
  flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes, reopened,
  waived_until, tracked, alike, seq, at
FROM findings WHERE seq = :seq ORDER BY root;

-- name: finding.holding
SELECT task, id, severity, state, title, path, line, waiting, waived_until, by_check FROM findings
WHERE task IN (SELECT value FROM json_each(:ids)) AND blocking = 1 AND state IN ('open', 'claimed', 'disputed', 'waived') ORDER BY seq, root;

-- name: finding.troubles
SELECT task, max(CASE WHEN state = 'disputed' OR ruling IN ('ACCEPTED', 'OVERRULED') THEN 1 ELSE 0 END) AS disputed,
  max(CASE WHEN state = 'waived' THEN 1 ELSE 0 END) AS waived, max(CASE WHEN false_fixes > 0 THEN 1 ELSE 0 END) AS false_fixed
FROM findings WHERE blocking = 1 AND task IN (SELECT value FROM json_each(:ids)) GROUP BY task;

-- name: finding.moves
SELECT seq, root, iteration, kind, word, was, now, words, ground, commit_sha AS "commit", debt, blocking, undone, session, at
FROM finding_moves WHERE task = :task ORDER BY seq, root;

-- name: finding.moves_of
SELECT seq, root, iteration, kind, word, was, now, words, ground, commit_sha AS "commit", debt, blocking, undone, session, at
FROM finding_moves WHERE root = :root ORDER BY seq;

-- name: finding.answers
SELECT m.root AS root, m.word, m.words, m.ground, m.commit_sha AS "commit", m.debt FROM finding_moves m
JOIN (SELECT root, max(seq) AS seq FROM finding_moves WHERE task = :task AND kind = 'answered' AND undone = 0 GROUP BY root) l
  ON l.root = m.root AND l.seq = m.seq
ORDER BY m.root;

-- name: finding.ids_of
SELECT id, root FROM finding_ids WHERE task = :task;

-- name: finding.answers_in
SELECT f.id AS id, f.answer AS word, f.blocking AS blocking, m.commit_sha AS "commit" FROM findings f
JOIN finding_moves m ON m.root = f.root AND m.kind = 'answered' AND m.iteration = :iteration
  AND m.seq = (SELECT max(l.seq) FROM finding_moves l WHERE l.root = f.root AND l.kind = 'answered')
WHERE f.task = :task AND f.answered = :iteration ORDER BY f.seq, f.root;

-- name: finding.all_skipped
SELECT task, count(*) AS n FROM findings
WHERE task IN (SELECT value FROM json_each(:ids)) AND blocking = 0 AND raised = 1 AND note = 0 AND by_check = ''
GROUP BY task HAVING count(*) = sum(CASE WHEN state = 'skipped' AND answered = 2 THEN 1 ELSE 0 END) ORDER BY task;

-- name: finding.debts
SELECT task, id, flags AS n FROM findings
WHERE task IN (SELECT value FROM json_each(:ids)) AND blocking = 0 AND flags >= :least AND tracked = '' AND state <> 'resolved' ORDER BY task, seq, root;

-- name: finding.waivers
SELECT task, id, waived_until AS until FROM findings
WHERE task IN (SELECT value FROM json_each(:ids)) AND state = 'waived' ORDER BY task, seq, root;

-- name: finding.unresolved
SELECT count(*) AS n FROM findings WHERE task = :task AND state IN ('open', 'claimed', 'disputed') AND note = 0;

-- name: finding.to_answer
SELECT count(*) AS n FROM findings WHERE task = :task AND state = 'open' AND note = 0;

-- name: finding.rulers
SELECT DISTINCT session AS id FROM finding_moves WHERE task = :task AND kind = 'ruled' AND iteration = :iteration AND undone = 0;

-- name: finding.steps
SELECT root, iteration, now AS state,
  CASE WHEN word = 'DISMISSED' THEN 'dismissed' WHEN kind = 'cleared' AND word = 'withdrawn' THEN 'withdrawn' ELSE kind END AS kind FROM finding_moves
WHERE task = :task AND undone = 0 AND blocking = 1 AND kind <> 'taken_back' ORDER BY seq, root;

-- name: finding.insert_piece
INSERT INTO pieces (piece, task, attempt) VALUES (:piece, :task, :attempt) ON CONFLICT (piece, task, attempt) DO NOTHING;

-- name: finding.shared_pieces
SELECT piece, task, max(attempt) AS attempt FROM pieces
WHERE piece IN (SELECT value FROM json_each(:pieces)) AND task <> :task GROUP BY piece, task ORDER BY task, piece;

-- Open blocking findings of other unmerged work that quote code at some paths (A6).
-- name: finding.at_paths
SELECT f.root, f.id, f.task, f.kind, severity, f.title, path, line, problem, fix, why, quote, symbol, rule, fix_patch, tool, mark, source, by_check,
  f.session, raised, flagged, flags, state, note, anchored, waiting, must_fix, left_diff, answer, answered, answered_by, ruling, ruled_by, false_fixes,
  reopened, waived_until, tracked, alike, f.seq, f.at
FROM findings f JOIN tasks t ON t.id = f.task
WHERE f.blocking = 1 AND f.by_check = '' AND f.quote <> '' AND f.state IN ('open', 'claimed', 'disputed', 'waived') AND f.task <> :task
  AND t.merge_sha IS NULL AND f.path IN (SELECT value FROM json_each(:paths))
ORDER BY f.seq, f.root;
