-- name: WorkOf :one
-- What a turn does now: how many calls of the model it has begun, and its tool calls that run.
SELECT t.run_id, t.started_at, t.model,
    coalesce((SELECT max(s.step) + 1 FROM steps s WHERE s.turn_id = t.id), 0)::int AS steps,
    coalesce((SELECT string_agg(c.name, ', ' ORDER BY c.step, c.n) FROM tool_calls c WHERE c.turn_id = t.id AND c.state = 'running'), '')::text AS tools
FROM turns t WHERE t.id = $1;

-- name: RunningList :many
-- Turns that run, the oldest first.
SELECT id, session_key, steps, started_at FROM turns WHERE state = 'running' ORDER BY started_at LIMIT sqlc.arg(n);

-- name: IdentitiesOf :many
-- Whom a user is elsewhere.
SELECT channel, account, peer FROM identities WHERE user_id = $1 AND kind = 'person' ORDER BY channel, account, peer;
