-- name: KillNote :exec
INSERT INTO kills (call_id, runner) VALUES ($1, $2)
ON CONFLICT (call_id) DO UPDATE SET runner = EXCLUDED.runner, asked_at = now(), sent_at = NULL;

-- name: KillSent :exec
UPDATE kills SET sent_at = now() WHERE call_id = $1;

-- name: KillListOpen :many
SELECT call_id, runner FROM kills
WHERE sent_at IS NULL AND runner = ANY(sqlc.arg(runners)::text[])
ORDER BY asked_at
LIMIT 1000;

-- name: KillPrune :exec
DELETE FROM kills WHERE asked_at < now() - interval '8 days';
