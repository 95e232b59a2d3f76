-- The project itself, its settings and counters.

-- name: project.insert
INSERT INTO project (id, name, prefix, target, hold, created_at) VALUES (:id, :name, :prefix, :target, NULL, :at);

-- name: project.get
SELECT id, name, prefix, target, hold, accepted_digest, accepted_text, created_at,
  (SELECT value FROM settings WHERE name = 'store:place') AS place,
  (SELECT value FROM settings WHERE name = 'store:tip') AS adopted,
  (SELECT value FROM settings WHERE name = 'target:tip') AS tip,
  (SELECT value FROM settings WHERE name = 'target:accepted') AS accepted_at
FROM project;

-- name: project.set_hold
UPDATE project SET hold = :hold;

-- name: project.accept_template
INSERT INTO templates (name, digest, seq) VALUES (:name, :digest, :seq)
ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, seq = excluded.seq;

-- name: project.templates
SELECT name, digest FROM templates ORDER BY name;

-- name: project.accept
UPDATE project SET accepted_digest = :digest, accepted_text = :text;

-- name: project.retarget
UPDATE project SET target = :target;

-- name: project.settings
SELECT name, value, session, at FROM settings 
WHERE name NOT IN ('store:place', 'store:tip', 'target:tip', 'target:accepted') AND NOT (name >= 'merge:' AND name < 'merge;')
ORDER BY name;

-- name: project.set_setting
INSERT INTO settings (name, value, session, at) VALUES (:name, :value, :session, :at)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, session = excluded.session, at = excluded.at;

-- name: project.unset_setting
DELETE FROM settings WHERE name = :name;

-- name: project.ready_goals
SELECT count(*) AS n FROM tasks WHERE ready = 1 AND type = 'epic';

-- name: project.counters
SELECT name, n FROM counters ORDER BY name;

-- name: project.count
INSERT INTO counters (name, n) VALUES (:name, :n) ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n;
