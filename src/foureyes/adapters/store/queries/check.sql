-- Results of checks, and the names of tests.

-- name: check.insert
INSERT INTO checks (seq, task, tree, name, digest, command, outcome, summary, exit_code, duration_ms, failing, tests, program, output, session, at, tool_findings, failed)
VALUES (:seq, :task, :tree, :name, :digest, :command, :outcome, :summary, :exit_code, :duration_ms, :failing, :tests, :program, :output,
  :session, :at, :tool_findings, :failed);

-- name: check.insert_tests
INSERT INTO test_lists (digest, packed, n) VALUES (:digest, :packed, :n);

-- name: check.of_trees
SELECT seq, tree, name, digest, outcome, summary, exit_code, duration_ms, failing, failed, tests, program, session, at FROM checks
WHERE tree IN (SELECT value FROM json_each(:trees)) ORDER BY seq;

-- name: check.trees_since
SELECT DISTINCT tree FROM checks WHERE seq > :after;

-- name: check.tests
SELECT digest, packed FROM test_lists WHERE digest IN (SELECT value FROM json_each(:digests));

-- name: check.has_tests
SELECT digest AS id FROM test_lists WHERE digest = :digest;

-- name: check.found
SELECT seq, tool_findings FROM checks WHERE seq IN (SELECT CAST(value AS INTEGER) FROM json_each(:seqs));

-- name: check.outputs
SELECT seq, output FROM checks WHERE seq IN (SELECT CAST(value AS INTEGER) FROM json_each(:seqs));
