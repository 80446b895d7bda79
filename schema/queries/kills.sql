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

-- name: KillNoteOpenCalls :exec
-- Notes the kill of what a turn left running. A runner other than the server's host is named with its owner, as in
-- connections.
INSERT INTO kills (call_id, runner)
SELECT c.id, CASE WHEN c.runner = 'local' THEN c.runner ELSE s.user_id || '/' || c.runner END
FROM tool_calls c JOIN sessions s ON s.key = c.session_key
WHERE c.turn_id = sqlc.arg(turn_id) AND c.state = 'running' AND c.class = 'exec' AND c.started_on <> ''
ON CONFLICT (call_id) DO NOTHING;
