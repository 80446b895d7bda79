-- name: TurnAskedBy :one
-- What started a turn, and who wrote it.
SELECT i.id, i.session_key, i.user_id, i.kind, i.body FROM inbox i
WHERE i.turn_id = sqlc.arg(turn_id) AND i.kind IN ('message', 'background', 'control')
ORDER BY i.claim, i.sent_at, i.sent_seq, i.id LIMIT 1;

-- name: TurnSpend :exec
-- Adds the tokens of a call that is no step to its turn.
UPDATE turns SET
    prompt_tokens     = turns.prompt_tokens + sqlc.arg(prompt_tokens)::int,
    cached_tokens     = turns.cached_tokens + sqlc.arg(cached_tokens)::int,
    completion_tokens = turns.completion_tokens + sqlc.arg(completion_tokens)::int
WHERE turns.id = sqlc.arg(turn_id);
