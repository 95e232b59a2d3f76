-- Sessions, their evidence and origins.

-- name: session.insert
INSERT INTO sessions (id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, base_seq, process,
  started_at, last_seen_at, last_seq)
VALUES (:id, :kind, :trust, :name, :agent, :person, :host, :model, :vendor, :origin, :proven, :parent, :base,
  CASE WHEN CAST(:base AS TEXT) IS NULL THEN 0 ELSE :seq END, :process, :at, :at, :seq);

-- name: session.seen
UPDATE sessions SET last_seen_at = :at, last_seq = :seq WHERE id = :id;

-- name: session.get
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, process, started_at, last_seen_at,
  ended_seq > 0 AND ended_seq >= last_seq AS ended
FROM sessions WHERE id = :id;

-- name: session.some
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, process, started_at, last_seen_at,
  ended_seq > 0 AND ended_seq >= last_seq AS ended
FROM sessions WHERE id IN (SELECT value FROM json_each(:ids));

-- name: session.person
SELECT person AS id FROM sessions WHERE kind = 'human' AND trust <> 'asserted' AND person <> '' AND person = :person LIMIT 1;

-- name: session.people
SELECT DISTINCT person AS id FROM sessions WHERE kind = 'human' AND trust <> 'asserted' AND person <> '' ORDER BY person LIMIT :limit;

-- name: session.page
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, process, started_at, last_seen_at,
  ended_seq > 0 AND ended_seq >= last_seq AS ended
FROM sessions ORDER BY last_seq DESC LIMIT :limit;

-- name: session.count_agent
SELECT count(*) AS n FROM sessions WHERE agent = :agent AND kind = 'agent' AND trust <> 'asserted';

-- name: session.origins
SELECT DISTINCT origin FROM evidence WHERE evidence IN (SELECT value FROM json_each(:evidence)) ORDER BY origin;

-- name: session.known_evidence
SELECT evidence FROM evidence WHERE evidence IN (SELECT value FROM json_each(:evidence)) AND origin = (SELECT origin FROM sessions WHERE id = :session);

-- name: session.known
SELECT evidence FROM evidence WHERE evidence IN (SELECT value FROM json_each(:evidence));

-- name: session.set_evidence
INSERT INTO evidence (evidence, origin) VALUES (:evidence, :origin) ON CONFLICT (evidence) DO UPDATE SET origin = excluded.origin;

-- name: session.join_evidence
UPDATE evidence SET origin = :keep WHERE origin = :drop;

-- name: session.join_sessions
UPDATE sessions SET origin = :keep WHERE origin = :drop;

-- name: session.newest
SELECT id FROM sessions WHERE base = :base ORDER BY base_seq DESC LIMIT 1;

-- name: session.end
UPDATE sessions SET ended_seq = :seq WHERE id = :id;

-- name: session.children
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, process, started_at, last_seen_at,
  ended_seq > 0 AND ended_seq >= last_seq AS ended
FROM sessions WHERE parent = :parent ORDER BY id;

-- name: session.called
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, base, process, started_at, last_seen_at,
  ended_seq > 0 AND ended_seq >= last_seq AS ended
FROM sessions WHERE id = :text OR name = :text ORDER BY CASE WHEN id = :text THEN 0 ELSE 1 END, id LIMIT 2;

-- name: session.insert_token
INSERT INTO tokens (hash, session, task, role, bound, seq) VALUES (:hash, :session, :task, :role, :bound, :seq);

-- name: session.end_tokens
UPDATE tokens SET ended_seq = :seq WHERE session = :id AND ended_seq = 0;

-- name: session.token
SELECT hash, session, task, role, bound, ended_seq > 0 AS ended FROM tokens WHERE hash = :hash;

-- name: session.tokens_of_task
SELECT hash, session, task, role, bound, ended_seq > 0 AS ended FROM tokens WHERE task = :task AND role = :role ORDER BY seq;

-- name: session.claims
SELECT id FROM tasks WHERE implementer = :session AND status = 'in_progress' ORDER BY n;
