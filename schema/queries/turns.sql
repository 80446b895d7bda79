-- name: TurnInsert :execrows
INSERT INTO turns (id, session_key, run_id, state) VALUES ($1, $2, $3, 'running')
ON CONFLICT (id) DO NOTHING;

-- name: TurnGet :one
SELECT * FROM turns WHERE id = $1;

-- name: TurnLock :one
SELECT * FROM turns WHERE id = $1 FOR NO KEY UPDATE;

-- name: TurnRunning :one
SELECT id FROM turns WHERE session_key = $1 AND state = 'running';

-- name: TurnList :many
SELECT * FROM turns WHERE session_key = $1 ORDER BY started_at DESC LIMIT $2;

-- name: TurnAddStep :exec
UPDATE turns SET
    steps             = steps + 1,
    model             = CASE WHEN sqlc.arg(model)::text = '' THEN model ELSE sqlc.arg(model)::text END,
    prompt_tokens     = prompt_tokens + sqlc.arg(prompt_tokens)::int,
    cached_tokens     = cached_tokens + sqlc.arg(cached_tokens)::int,
    completion_tokens = completion_tokens + sqlc.arg(completion_tokens)::int
WHERE id = sqlc.arg(id);

-- name: TurnClose :one
UPDATE turns SET state = $2, ended_at = now()
WHERE id = $1 AND state = 'running'
RETURNING *;

-- name: TurnDelete :exec
DELETE FROM turns WHERE id = $1;

-- name: TurnToCheck :many
-- Running turns whose run was not looked at for a while; the caller looks and settles those that are gone.
UPDATE turns SET checked_at = now()
WHERE id IN (
    SELECT t.id FROM turns t
    WHERE t.state = 'running' AND t.checked_at < now() - sqlc.arg(older)::interval
    ORDER BY t.checked_at
    LIMIT 50
    FOR UPDATE SKIP LOCKED
)
RETURNING id, session_key, run_id, started_at, held_told_at;

-- name: TurnSetRun :exec
UPDATE turns SET run_id = $2 WHERE id = $1;

-- name: TurnMarkHeld :execrows
UPDATE turns SET held_told_at = now() WHERE id = $1 AND held_told_at IS NULL;

-- name: TurnAsksFirst :one
-- The text that started a turn, for its language and title.
SELECT body FROM inbox WHERE turn_id = sqlc.arg(turn_id) AND kind = 'message' ORDER BY id LIMIT 1;

-- name: StepBegin :one
INSERT INTO steps (turn_id, step, state) VALUES ($1, $2, 'open')
ON CONFLICT (turn_id, step) DO UPDATE SET state = steps.state
RETURNING *;

-- name: StepLock :one
SELECT * FROM steps WHERE turn_id = $1 AND step = $2 FOR NO KEY UPDATE;

-- name: StepCountFailure :one
UPDATE steps SET failures = failures + 1 WHERE turn_id = $1 AND step = $2 AND state = 'open'
RETURNING failures;

-- name: StepFinish :exec
UPDATE steps SET state = 'done', finish = $3, fault = $4, prompt_hash = $5, finished_at = now()
WHERE turn_id = $1 AND step = $2;

-- name: StepCloseOpen :exec
UPDATE steps SET state = 'done', finish = $2, finished_at = now()
WHERE turn_id = $1 AND state = 'open';

-- name: StepCount :one
SELECT count(*)::int FROM steps WHERE turn_id = $1;

-- name: StepAnyBegun :one
SELECT EXISTS (SELECT 1 FROM steps WHERE turn_id = $1);

-- name: PromptSave :exec
INSERT INTO prompts (hash, body) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING;
