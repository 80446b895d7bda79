-- name: InboxDelivered :one
SELECT id, session_key, kind FROM inbox
WHERE channel = $1 AND account = $2 AND user_id = $3 AND platform_id = $4;

-- name: CommandAnswer :one
-- What a command was answered with.
SELECT content FROM messages WHERE inbox_id = $1 AND role = 'notice' AND origin = 'command';

-- name: SessionCreate :execrows
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, agent, chat_type, scene, origin, shelf, title_open) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (key) DO NOTHING;

-- name: SessionGet :one
-- A session with what its last answer since a reset took of the context window, or its last compression left.
SELECT s.*,
       coalesce((SELECT t.id FROM turns t WHERE t.session_key = s.key AND t.state = 'running'), '')::text AS running,
       (SELECT count(*) FROM inbox i WHERE i.session_key = s.key AND i.kind IN ('message', 'control') AND i.outcome IS NULL)::int AS queued,
       EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_key = s.key AND c.approval = 'open' AND c.hook <> 'deferred') AS waiting,
       EXISTS (SELECT 1 FROM subagents o WHERE o.session_key = s.key AND o.instance = '') AS once,
       coalesce(last.model, '')::text AS context_model,
       coalesce(CASE WHEN last.id IS NULL OR k.created_at > last.created_at THEN (k.body -> 'compaction' ->> 'tokens_after')::int END,
                nullif(last.used, 0), last.estimated, 0)::int AS context_used
FROM sessions s
LEFT JOIN controls k ON k.id = s.compaction_id
LEFT JOIN controls rs ON rs.id = s.reset_id
LEFT JOIN LATERAL (
    SELECT m.id, m.model, m.created_at, m.prompt_tokens + m.completion_tokens AS used, st.estimated_tokens AS estimated
    FROM messages m LEFT JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
    WHERE m.session_key = s.key AND m.role = 'assistant' AND NOT m.display_only AND m.rewound_by IS NULL AND m.id > coalesce(rs.message_id, 0)
    ORDER BY m.id DESC LIMIT 1
) last ON true
WHERE s.key = $1;

-- name: SessionList :many
-- What is listed is chosen first, along indexes, and looked at afterwards.
WITH listed AS MATERIALIZED (
    SELECT o.key FROM (
        (SELECT s.key, s.pinned, s.last_interaction_at FROM sessions s
         WHERE s.user_id = sqlc.arg(owner) AND s.pinned AND s.chat_type <> 'subagent' AND s.shelf = ANY (sqlc.arg(shelves)::text[]) AND s.title ILIKE '%' || sqlc.arg(q)::text || '%'
         ORDER BY s.last_interaction_at DESC
         LIMIT sqlc.arg(n))
        UNION ALL
        (SELECT s.key, s.pinned, s.last_interaction_at
         FROM unnest(sqlc.arg(shelves)::text[]) AS wanted(shelf) CROSS JOIN LATERAL (
             SELECT l.key, l.pinned, l.last_interaction_at FROM sessions l
             WHERE l.user_id = sqlc.arg(owner) AND l.shelf = wanted.shelf AND NOT l.pinned AND l.chat_type <> 'subagent' AND l.title ILIKE '%' || sqlc.arg(q)::text || '%'
             ORDER BY l.last_interaction_at DESC
             LIMIT sqlc.arg(n)
         ) s)
    ) o
    ORDER BY o.pinned DESC, o.last_interaction_at DESC
    LIMIT sqlc.arg(n)
)
SELECT s.*,
       coalesce((SELECT t.id FROM turns t WHERE t.session_key = s.key AND t.state = 'running'), '')::text AS running,
       (SELECT count(*) FROM inbox i WHERE i.session_key = s.key AND i.kind IN ('message', 'control') AND i.outcome IS NULL)::int AS queued,
       EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_key = s.key AND c.approval = 'open' AND c.hook <> 'deferred') AS waiting,
       EXISTS (SELECT 1 FROM subagents o WHERE o.session_key = s.key AND o.instance = '') AS once,
       coalesce(last.model, '')::text AS context_model,
       coalesce(CASE WHEN last.id IS NULL OR k.created_at > last.created_at THEN (k.body -> 'compaction' ->> 'tokens_after')::int END,
                nullif(last.used, 0), last.estimated, 0)::int AS context_used
FROM listed l
JOIN sessions s ON s.key = l.key
LEFT JOIN controls k ON k.id = s.compaction_id
LEFT JOIN controls rs ON rs.id = s.reset_id
LEFT JOIN LATERAL (
    SELECT m.id, m.model, m.created_at, m.prompt_tokens + m.completion_tokens AS used, st.estimated_tokens AS estimated
    FROM messages m LEFT JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
    WHERE m.session_key = s.key AND m.role = 'assistant' AND NOT m.display_only AND m.rewound_by IS NULL AND m.id > coalesce(rs.message_id, 0)
    ORDER BY m.id DESC LIMIT 1
) last ON true
ORDER BY s.pinned DESC, s.last_interaction_at DESC;

-- name: SessionUpdate :execrows
UPDATE sessions SET
    title      = coalesce(sqlc.narg(title), title),
    title_open = title_open AND sqlc.narg(title)::text IS NULL,
    pinned     = coalesce(sqlc.narg(pinned), pinned)
WHERE key = sqlc.arg(key);

-- name: SessionSetListState :execrows
UPDATE sessions SET shelf = $2 WHERE key = $1;

-- name: SessionSetCwd :exec
UPDATE sessions SET cwd = $2, cwd_runner = $3 WHERE key = $1;

-- name: SessionSetTitleIfEmpty :exec
UPDATE sessions SET title = $2 WHERE key = $1 AND title = '';

-- name: SessionDelete :execrows
DELETE FROM sessions WHERE key = $1;

-- name: EventListAfter :many
SELECT seq, kind, data FROM feed_events
WHERE session_key = $1 AND seq > $2
ORDER BY seq
LIMIT $3;

-- name: TodosGet :one
SELECT items FROM todos WHERE session_key = $1;

-- name: TodosSet :exec
INSERT INTO todos (session_key, items) VALUES ($1, $2)
ON CONFLICT (session_key) DO UPDATE SET items = EXCLUDED.items, updated_at = now();
