-- Sessions, their evidence and origins.

-- name: session.insert
INSERT INTO sessions (id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, started_at, last_seen_at, last_seq)
VALUES (:id, :kind, :trust, :name, :agent, :person, :host, :model, :vendor, :origin, :proven, :parent, :at, :at, :seq);

-- name: session.seen
UPDATE sessions SET last_seen_at = :at, last_seq = :seq WHERE id = :id;

-- name: session.get
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, started_at, last_seen_at
FROM sessions WHERE id = :id;

-- name: session.some
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, started_at, last_seen_at
FROM sessions WHERE id IN (SELECT value FROM json_each(:ids));

-- name: session.page
SELECT id, kind, trust, name, agent, person, host, model, vendor, origin, proven, parent, started_at, last_seen_at
FROM sessions ORDER BY last_seq DESC LIMIT :limit;

-- name: session.count_agent
SELECT count(*) AS n FROM sessions WHERE agent = :agent AND trust <> 'asserted';

-- name: session.origins
SELECT DISTINCT origin FROM evidence WHERE evidence IN (SELECT value FROM json_each(:evidence)) ORDER BY origin;

-- name: session.known_evidence
SELECT evidence FROM evidence WHERE evidence IN (SELECT value FROM json_each(:evidence)) AND origin = :origin;

-- name: session.set_evidence
INSERT INTO evidence (evidence, origin) VALUES (:evidence, :origin) ON CONFLICT (evidence) DO UPDATE SET origin = excluded.origin;

-- name: session.join_evidence
UPDATE evidence SET origin = :keep WHERE origin = :drop;

-- name: session.join_sessions
UPDATE sessions SET origin = :keep WHERE origin = :drop;
