-- name: ClientActionOpen :exec
-- Means the client that the newest message of the call's turn came from. No row: it came from none, or the row is there.
INSERT INTO client_actions (call_id, session_key, user_id, client, action, what, value, expires_at)
SELECT c.id, c.session_key, s.user_id, split_part(m.client_message_id, '.', 1), sqlc.arg(action), sqlc.arg(what), sqlc.arg(value), now() + sqlc.arg(lasts)::interval
FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
CROSS JOIN LATERAL (
    SELECT client_message_id FROM messages
    WHERE session_key = c.session_key AND turn_id = c.turn_id AND role = 'user' AND client_message_id <> ''
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
-- Those that a client has to carry out now, or has taken and said no more of, the oldest first. They are noted as sent.
WITH sent AS (
    UPDATE client_actions a SET sent_at = coalesce(sent_at, now())
    WHERE a.session_key = sqlc.arg(session_key) AND a.user_id = sqlc.arg(user_id) AND a.client = sqlc.arg(client) AND a.state IN ('open', 'taken') AND a.expires_at > now()
      AND EXISTS (SELECT 1 FROM tool_calls c WHERE c.id = a.call_id AND c.state <> 'done')
      AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = a.session_key AND i.kind = 'stop' AND i.outcome IS NULL)
    RETURNING a.call_id, a.action, a.what, a.value, a.created_at
)
SELECT call_id, action, what, value FROM sent ORDER BY created_at, call_id;

-- name: ClientActionTake :execrows
-- One of the processes that call themselves by the client's id gets it, once, and nobody after the call has ended or was asked to stop.
UPDATE client_actions a SET state = 'taken', taken_at = now()
WHERE a.call_id = sqlc.arg(call_id) AND a.session_key = sqlc.arg(session_key) AND a.user_id = sqlc.arg(user_id) AND a.client = sqlc.arg(client)
  AND a.state = 'open' AND a.expires_at > now()
  AND EXISTS (SELECT 1 FROM tool_calls c WHERE c.id = a.call_id AND c.state <> 'done')
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = a.session_key AND i.kind = 'stop' AND i.outcome IS NULL);

-- name: ClientActionAnswer :execrows
-- Of whoever has taken it.
UPDATE client_actions SET state = sqlc.arg(state), reason = sqlc.arg(reason), answered_at = now()
WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) AND client = sqlc.arg(client)
  AND state = 'taken' AND expires_at > now();

-- name: ClientActionOf :many
SELECT state FROM client_actions
WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) AND client = sqlc.arg(client);

-- name: ClientActionClose :exec
UPDATE client_actions SET state = 'expired' WHERE call_id = sqlc.arg(call_id) AND session_key = sqlc.arg(session_key) AND state IN ('open', 'taken');
