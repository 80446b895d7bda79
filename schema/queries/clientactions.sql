-- name: ClientActionOpen :exec
-- Means the client that the newest message of the call's turn came from. No row: it came from none, or the row is there.
INSERT INTO client_actions (call_id, session_key, user_id, client, action, what, value, expires_at)
SELECT c.id, c.session_key, s.user_id, split_part(m.client_message_id, '.', 1), sqlc.arg(action), sqlc.arg(what), sqlc.arg(value), now() + sqlc.arg(lasts)::interval
FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
CROSS JOIN LATERAL (
    SELECT client_message_id FROM messages
    WHERE turn_id = c.turn_id AND role = 'user' AND client_message_id <> ''
    ORDER BY id DESC
    LIMIT 1
) m
WHERE c.id = sqlc.arg(call_id) AND c.session_key = sqlc.arg(session_key) AND m.client_message_id ~ '^[0-9A-Za-z]{8,40}\.'
ON CONFLICT (call_id) DO NOTHING;

-- name: ClientActionStanding :many
SELECT state, reason, (sent_at IS NOT NULL)::boolean AS sent, extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
FROM client_actions
WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key);

-- name: ClientActionsSend :many
-- Those that a client has to carry out now, the oldest first. They are noted as sent.
WITH sent AS (
    UPDATE client_actions SET sent_at = coalesce(sent_at, now())
    WHERE session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) AND client = sqlc.arg(client) AND state = 'open' AND expires_at > now()
    RETURNING call_id, action, what, value, created_at
)
SELECT call_id, action, what, value FROM sent ORDER BY created_at, call_id;

-- name: ClientActionAnswer :execrows
UPDATE client_actions SET state = sqlc.arg(state), reason = sqlc.arg(reason), answered_at = now()
WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) AND client = sqlc.arg(client)
  AND state = 'open' AND expires_at > now();

-- name: ClientActionOf :many
SELECT state FROM client_actions
WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) AND client = sqlc.arg(client);

-- name: ClientActionClose :exec
UPDATE client_actions SET state = 'expired' WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND state = 'open';
