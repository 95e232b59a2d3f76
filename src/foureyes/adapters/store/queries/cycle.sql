-- Review cycles: who was asked about what, looks, clarifications, flags (V).

-- name: cycle.insert
INSERT INTO cycles (id, n, trigger, state, task, quorum, seats, wide, reason, follows, session, at, seq)
VALUES (:cycle, :n, :trigger, 'open', :task, :quorum, :seats, :wide, :reason, :follows, :session, :at, :seq);

-- name: cycle.insert_target
INSERT INTO cycle_targets (cycle, task, attempt, look, diff_id, summary, seq) VALUES (:cycle, :task, :attempt, :look, :diff_id, :summary, :seq);

-- name: cycle.insert_look
INSERT INTO looks (task, n, commit_sha, base, diff_id, files, run, session, at, seq)
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
UPDATE cycles SET state = 'clarifying', clarify_until = :until, clarifiers = :asked, ended_at = '', seq = :seq WHERE id = :cycle AND state = 'decided';

-- name: cycle.insert_point
INSERT INTO clarifications (cycle, id, task, reviewer, review, finding, text, seq) VALUES (:cycle, :id, :task, :reviewer, :review, :finding, :text, :seq);

-- name: cycle.answer_point
UPDATE clarifications SET answer = :text, session = :session, answered_at = :at, seq = :seq WHERE cycle = :cycle AND id = :point AND answer = '';

-- name: cycle.decide
UPDATE cycles SET state = 'decided', rule = :rule, asked = :asked, answered = :answered, counting = :counting, reasons = :reasons, ended_at = :at, seq = :seq
WHERE id = :cycle AND state IN ('open', 'clarifying');

-- name: cycle.end
UPDATE cycles SET state = 'ended', why = :why, ended_at = :at, seq = :seq WHERE id = :cycle AND state IN ('open', 'clarifying');

-- name: cycle.leave
UPDATE cycle_targets SET over = :kind WHERE task = :task AND over = '' AND cycle IN (SELECT id FROM cycles WHERE state IN ('open', 'clarifying'));

-- name: cycle.leave_last
UPDATE cycles SET state = 'ended', why = :kind, ended_at = :at, seq = :seq
WHERE state IN ('open', 'clarifying') AND id IN (SELECT cycle FROM cycle_targets WHERE task = :task)
  AND NOT EXISTS (SELECT 1 FROM cycle_targets t WHERE t.cycle = cycles.id AND t.over = '');
