-- name: TodosWritten :one
-- The call that wrote the to-do list last, of those that are in the conversation since it began.
SELECT c.message_id, c.arguments, c.plan FROM tool_calls c
JOIN messages m ON m.id = c.message_id
WHERE c.session_key = $1 AND (c.name = 'todo_write' OR c.plan IS NOT NULL AND c.approval = 'allowed') AND c.state = 'done' AND NOT c.is_error AND m.rewound_by IS NULL
  AND c.message_id > coalesce((SELECT rs.message_id FROM sessions s JOIN controls rs ON rs.id = s.reset_id WHERE s.key = $1), 0)
ORDER BY c.message_id DESC, c.n DESC
LIMIT 1;

-- name: TodosRewound :one
-- Whether a call that was taken out of the conversation by a record may have written the to-do list.
SELECT EXISTS (
    SELECT 1 FROM messages m
    JOIN tool_calls c ON c.session_key = m.session_key AND c.message_id = m.id
    WHERE m.session_key = sqlc.arg(session_key) AND m.rewound_by = sqlc.arg(control)::bigint AND (c.name = 'todo_write' OR c.plan IS NOT NULL AND c.approval = 'allowed')
);

-- name: TodosElsewhere :many
-- The lists of the other conversations of a session's owner in which something is left to do, the newest first.
SELECT s.key, s.title, t.items, t.updated_at
FROM sessions here
JOIN sessions s ON s.user_id = here.user_id AND s.key <> here.key
JOIN todos t ON t.session_key = s.key
WHERE here.key = sqlc.arg(session)
  AND EXISTS (SELECT 1 FROM jsonb_array_elements(t.items) e WHERE NOT coalesce((e ->> 'done')::boolean, false))
ORDER BY t.updated_at DESC
LIMIT sqlc.arg(n);

-- name: TodosOf :many
-- The lists of a user's conversations in which something is left to do, the newest first.
SELECT s.key, s.title, t.items, t.updated_at
FROM sessions s
JOIN todos t ON t.session_key = s.key
WHERE s.user_id = sqlc.arg(user_id)
  AND EXISTS (SELECT 1 FROM jsonb_array_elements(t.items) e WHERE NOT coalesce((e ->> 'done')::boolean, false))
ORDER BY t.updated_at DESC
LIMIT sqlc.arg(n);
