-- name: ContextLastStep :one
-- The newest step whose request is kept, of turns that are in the conversation since it began.
SELECT st.turn_id, st.step FROM messages m
JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
WHERE m.session_key = $1 AND m.role = 'assistant' AND m.rewound_by IS NULL AND st.request_hash IS NOT NULL
  AND m.id > coalesce((SELECT rs.message_id FROM sessions s JOIN controls rs ON rs.id = s.reset_id WHERE s.key = $1), 0)
ORDER BY m.id DESC
LIMIT 1;

-- name: ContextCompactions :many
SELECT id, kind, message_id, turn_id, key, body, created_at FROM controls
WHERE session_key = $1 AND kind = 'compact'
ORDER BY id DESC
LIMIT $2;

-- name: ContextParts :many
SELECT key, body FROM session_parts WHERE session_key = $1 ORDER BY key;

-- name: ContextSetMode :exec
UPDATE sessions SET context_mode = $2 WHERE key = $1;
