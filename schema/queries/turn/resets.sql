-- name: ResetNewest :one
-- The newest message of a conversation, and whether the model sees any of it.
SELECT coalesce((SELECT max(m.id) FROM messages m WHERE m.session_key = s.key), 0)::bigint AS message_id, EXISTS (
    SELECT 1 FROM messages m
    WHERE m.session_key = s.key AND m.id > greatest(rs.message_id, 0) AND NOT m.display_only AND m.rewound_by IS NULL
) AS seen
FROM sessions s
LEFT JOIN controls rs ON rs.id = s.reset_id
WHERE s.key = $1;

-- name: ResetSession :exec
-- Resets a conversation for the model. An empty model keeps the chosen one.
UPDATE sessions SET reset_id = sqlc.arg(control)::bigint, compaction_id = NULL, model = coalesce(nullif(sqlc.arg(model)::text, ''), model)
WHERE key = sqlc.arg(session_key);

-- name: ResetParts :exec
-- Has the parts of the system prompt read again.
DELETE FROM session_parts WHERE session_key = $1;

-- name: ResetTodos :execrows
UPDATE todos SET items = '[]', updated_at = now() WHERE session_key = $1 AND items <> '[]'::jsonb;

-- name: ResetFollowed :one
-- Whether the text behind a command was accepted with it, as a message of its own.
SELECT EXISTS (
    SELECT 1 FROM inbox i JOIN inbox n ON n.channel = i.channel AND n.account = i.account AND n.user_id = i.user_id
    WHERE i.id = $1 AND n.platform_id = i.platform_id || '#text' AND n.kind = 'message'
);

-- name: ResetList :many
-- The resets of a conversation with their times, newest first.
SELECT c.id, c.message_id, c.body, c.created_at FROM controls c
WHERE c.session_key = $1 AND c.kind = 'reset' AND c.away_by IS NULL
ORDER BY c.id DESC
LIMIT $2;

-- name: ResetUnfinished :one
-- Whether the newest message to the model since the conversation began has no answer, or one that ended early, and nothing is
-- under way or waits.
SELECT (coalesce((
    SELECT t.state IN ('stopped', 'failed', 'lost') OR t.state <> 'running' AND NOT EXISTS (
        SELECT 1 FROM messages a WHERE a.turn_id = t.id AND a.role = 'assistant' AND a.id > m.id
    )
    FROM messages m JOIN turns t ON t.id = m.turn_id
    WHERE m.session_key = s.key AND m.role = 'user' AND NOT m.display_only AND m.rewound_by IS NULL AND m.id > coalesce(rs.message_id, 0)
    ORDER BY m.id DESC LIMIT 1
), false) AND NOT EXISTS (
    SELECT 1 FROM turns r WHERE r.session_key = s.key AND r.state = 'running'
) AND NOT EXISTS (
    SELECT 1 FROM inbox i WHERE i.session_key = s.key AND i.kind IN ('message', 'control') AND i.outcome IS NULL
))::boolean AS unfinished
FROM sessions s
LEFT JOIN controls rs ON rs.id = s.reset_id
WHERE s.key = $1;

-- name: ResetDue :one
-- Why the conversation has ended before a message, as one that came up to then has noted, if it did not begin anew since, and
-- when a person had written last before that one.
SELECT i.reset, coalesce((
    SELECT m.created_at FROM messages m
    WHERE m.session_key = i.session_key AND m.role = 'user' AND m.origin IN ('', 'command', 'continue', 'superseded') AND m.created_at < i.accepted_at
    ORDER BY m.id DESC LIMIT 1
), i.accepted_at)::timestamptz AS last
FROM inbox i
WHERE i.session_key = sqlc.arg(session_key) AND i.reset <> '' AND i.id <= sqlc.arg(upto) AND i.id > coalesce((
    SELECT max(split_part(c.key, '/', 2)::bigint) FROM controls c
    WHERE c.session_key = sqlc.arg(session_key) AND c.kind = 'reset' AND c.key LIKE 'reset/%'
), 0)
ORDER BY i.id DESC
LIMIT 1;

-- name: ResetNote :exec
UPDATE inbox SET reset = $2 WHERE id = $1;
