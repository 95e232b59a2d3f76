-- Logs, handoffs and the exceptions on record.

-- name: record.insert_log
INSERT INTO logs (seq, task, session, type, text, at) VALUES (:seq, :task, :session, :type, :text, :at);

-- name: record.logs
SELECT seq, task, session, type, text, at FROM logs WHERE task = :task ORDER BY seq DESC LIMIT :limit;

-- name: record.logs_of_type
SELECT seq, task, session, type, text, at FROM logs WHERE task = :task AND type = :type ORDER BY seq;

-- name: record.insert_handoff
INSERT INTO handoffs (seq, task, session, done, remaining, decisions, uncertain, at)
VALUES (:seq, :task, :session, :done, :remaining, :decisions, :uncertain, :at);

-- name: record.latest_handoff
SELECT seq, session, done, remaining, decisions, uncertain, at FROM handoffs WHERE task = :task ORDER BY seq DESC LIMIT 1;

-- name: record.insert_security
INSERT INTO security (seq, task, session, kind, rule, reason, detail, at) VALUES (:seq, :task, :session, :kind, :rule, :reason, :detail, :at);

-- name: record.security_since
SELECT seq, at, kind, task, session, rule, reason, detail FROM security WHERE seq > :after ORDER BY seq;

-- name: record.security_at
SELECT seq, at, kind, task, session, rule, reason, detail FROM security WHERE seq = :seq;

-- name: record.security_end
SELECT max(seq) AS seq FROM security;

-- name: record.security_page
SELECT seq, at, kind, task, session, rule, reason, detail FROM security ORDER BY seq DESC LIMIT :limit;

-- name: record.security_totals
SELECT kind, count(*) AS n, min(at) AS first, max(at) AS last FROM security GROUP BY kind ORDER BY kind;

-- name: record.insert_key
INSERT INTO keys (fingerprint, public, person, session, seq, at) VALUES (:fingerprint, :public, :person, :session, :seq, :at);

-- name: record.retire_key
UPDATE keys SET retired_at = :at, retired_why = :why WHERE fingerprint = :fingerprint;

-- name: record.keys
SELECT fingerprint, public, person, session, at, retired_at, retired_why FROM keys ORDER BY seq;

-- name: record.insert_signature
INSERT INTO signatures (seq, task, session, fingerprint, statement, signature, at)
VALUES (:seq, :task, :session, :fingerprint, :statement, :signature, :at);

-- name: record.signature
SELECT seq, task, session, fingerprint, statement, signature, at FROM signatures WHERE signature = :signature;

-- name: record.signatures
SELECT seq, task, session, fingerprint, statement, signature, at FROM signatures ORDER BY seq;
