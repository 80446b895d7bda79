-- name: PauseTold :execrows
-- No row: a person was told of this pause before.
INSERT INTO paused_runs (run_id) VALUES ($1) ON CONFLICT DO NOTHING;

-- name: PauseForget :exec
-- Runs that go on: a later pause is told again.
DELETE FROM paused_runs WHERE run_id <> ALL (sqlc.arg(paused)::text[]);

-- name: PauseWhere :one
-- Where a job is spoken of: in the conversation that it tells, else where it was made, else in its own.
SELECT s.key, s.user_id FROM unnest(sqlc.arg(keys)::text[]) WITH ORDINALITY k (key, n) JOIN sessions s ON s.key = k.key
ORDER BY k.n LIMIT 1;
