-- name: QuotaHold :exec
-- Whoever makes something of which a person may have so many counts alone, until the end of the transaction. It is an update that changes
-- nothing and no lock alone, so that a transaction which sees an earlier moment fails instead of counting what was there then.
UPDATE users SET name = name WHERE id = $1;

-- name: QuotaSessions :one
-- The conversations of a person or group without those that agents, schedules and triggers have made for them.
SELECT count(*)::int FROM sessions WHERE user_id = $1 AND chat_type NOT IN ('subagent', 'cron', 'hook');

-- name: QuotaRunners :one
-- Without those that the server makes.
SELECT count(*)::int FROM runners WHERE user_id = $1 AND revoked_at IS NULL AND name NOT IN ('local', '__docker__');

-- name: QuotaTokens :one
SELECT count(*)::int FROM api_tokens WHERE user_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());
