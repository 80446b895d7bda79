-- name: OrderOf :one
-- The command that a turn has claimed, the row it stands in as what the person wrote, and whether it was answered.
SELECT i.id, i.session_key, i.user_id, i.body, m.id AS message_id, EXISTS (
    SELECT 1 FROM messages a WHERE a.inbox_id = i.id AND a.role = 'notice'
) AS answered
FROM inbox i
JOIN messages m ON m.inbox_id = i.id AND m.role = 'user'
WHERE i.turn_id = sqlc.arg(turn_id) AND i.kind = 'control'
ORDER BY i.claim DESC
LIMIT 1;

-- name: RewindTargets :many
-- What a person wrote to the model before a message, newest first.
SELECT id, content FROM messages
WHERE session_key = sqlc.arg(session_key) AND id < sqlc.arg(before) AND role = 'user' AND origin = '' AND NOT display_only
  AND rewound_by IS NULL
ORDER BY id DESC
LIMIT sqlc.arg(n);

-- name: RewindTarget :one
SELECT id, role, origin, display_only, rewound_by, content, coalesce(branch_of, id)::bigint AS root FROM messages WHERE session_key = $1 AND id = $2;

-- name: RewindMark :exec
UPDATE messages SET rewound_by = sqlc.arg(control)::bigint
WHERE session_key = sqlc.arg(session_key) AND id >= sqlc.arg(first) AND id < sqlc.arg(before) AND rewound_by IS NULL;

-- name: RewindCount :one
SELECT count(*) FROM messages
WHERE session_key = sqlc.arg(session_key) AND rewound_by = sqlc.arg(control)::bigint AND role = 'user' AND origin = '' AND NOT display_only;

-- name: RewindControls :exec
-- What stands for messages that were taken out, or begins the conversation behind them, holds no more.
UPDATE controls SET away_by = sqlc.arg(control)::bigint
WHERE session_key = sqlc.arg(session_key) AND kind IN ('compact', 'reset') AND message_id >= sqlc.arg(first) AND away_by IS NULL;

-- name: RewindCompaction :one
-- The compaction that reaches furthest of those that hold, since the reset that holds.
SELECT c.id FROM controls c
WHERE c.session_key = sqlc.arg(session_key) AND c.kind = 'compact' AND c.away_by IS NULL
  AND c.message_id > coalesce((SELECT rs.message_id FROM sessions s JOIN controls rs ON rs.id = s.reset_id WHERE s.key = sqlc.arg(session_key)), 0)
ORDER BY c.message_id DESC, c.id DESC
LIMIT 1;

-- name: RewindEdits :many
-- Edits of what stays that were made by turns which were taken out, and hold still.
SELECT c.id, c.message_id FROM controls c
WHERE c.session_key = sqlc.arg(session_key) AND c.kind = 'edit' AND c.message_id < sqlc.arg(first)
  AND c.turn_id IN (SELECT m.turn_id FROM messages m WHERE m.session_key = c.session_key AND m.rewound_by = sqlc.arg(control)::bigint)
  AND NOT EXISTS (SELECT 1 FROM controls u WHERE u.session_key = c.session_key AND u.kind = 'undo' AND u.away_by IS NULL AND (u.body ->> 'undo')::bigint = c.id)
ORDER BY c.id;

-- name: RewindReset :execrows
-- Goes back to the newest reset that no rewind has undone. No row: it is the one that holds.
UPDATE sessions SET reset_id = holds.id
FROM (
    SELECT (
        SELECT rs.id FROM controls rs
        WHERE rs.session_key = sqlc.arg(session_key) AND rs.kind = 'reset' AND rs.away_by IS NULL
        ORDER BY rs.id DESC LIMIT 1
    ) AS id
) holds
WHERE sessions.key = sqlc.arg(session_key) AND sessions.reset_id IS DISTINCT FROM holds.id;
