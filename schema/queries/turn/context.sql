-- name: ContextBase :one
-- Where the conversation begins for the model, the newest control record, and the one that was the newest when the last
-- answer was made: -1 also where results were pruned for that answer, since what was counted then is not the conversation.
-- Beside it how and when the last answer was asked for, whether there are tool calls, what a reminder may have to tell, and what
-- providers have refused. The mode is the session's, else its user's.
SELECT s.compaction_id, coalesce(nullif(s.context_mode, ''), (
    SELECT CASE m.value WHEN 'auto' THEN 'default' ELSE m.value END FROM user_settings m WHERE m.user_id = s.user_id AND m.key = 'context_mode'
), '')::text AS context_mode, greatest(c.message_id, rs.message_id, 0)::bigint AS upto, coalesce((
    SELECT max(n.id) FROM controls n WHERE n.session_key = s.key
), 0)::bigint AS newest, coalesce((
    SELECT CASE WHEN st.fill > 0 THEN -1 ELSE st.control_upto END FROM messages m JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
    WHERE m.session_key = s.key AND m.role = 'assistant' AND NOT m.display_only AND m.rewound_by IS NULL
    ORDER BY m.id DESC LIMIT 1
), -1)::bigint AS counted,
coalesce(a.fill, 0)::float8 AS answered_fill, coalesce(a.pruned_upto, 0)::bigint AS answered_pruned, coalesce(a.model, '')::text AS answered_by,
a.finished_at AS answered_at,
EXISTS (SELECT 1 FROM tool_calls tc WHERE tc.session_key = s.key AND tc.message_id > greatest(c.message_id, rs.message_id, 0)) AS calls,
coalesce((SELECT t.items FROM todos t WHERE t.session_key = s.key), '[]')::jsonb AS todos,
coalesce((
    SELECT jsonb_agg(jsonb_build_object('n', b.n, 'command', left(b.command, 200)) ORDER BY b.n)
    FROM background_tasks b WHERE b.session_key = s.key AND b.state = 'running'
), '[]')::jsonb AS tasks,
jsonb_build_object(
    'tools', (
        SELECT jsonb_agg(jsonb_build_object('model', r.model, 'tool', r.tool, 'digest', r.digest) ORDER BY r.model, r.tool)
        FROM refused_tools r WHERE r.session_key = s.key
    ),
    'requests', (
        SELECT jsonb_agg(jsonb_build_object('model', r.model, 'window', r.window_size, 'hash', r.request_hash) ORDER BY r.model)
        FROM refused_requests r WHERE r.session_key = s.key
    )
)::jsonb AS refusals
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls rs ON rs.id = s.reset_id
LEFT JOIN LATERAL (
    SELECT st.fill, st.pruned_upto, m.model, st.finished_at FROM messages m JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
    WHERE m.session_key = s.key AND m.role = 'assistant' AND NOT m.display_only
    ORDER BY m.id DESC LIMIT 1
) a ON true
WHERE s.key = $1;

-- name: ContextControls :many
-- The records about messages after the given one, and the compaction itself.
SELECT id, kind, message_id, turn_id, key, body, created_at FROM controls
WHERE session_key = sqlc.arg(session_key) AND id <= sqlc.arg(newest)
  AND (id = sqlc.narg(compaction_id)::bigint OR message_id > sqlc.arg(upto) AND kind NOT IN ('compact', 'rewind', 'reset')
      AND (away_by IS NULL OR away_by > sqlc.arg(newest)) AND NOT spells @> sqlc.arg(newest)::bigint)
ORDER BY id;

-- name: ContextLines :many
-- The messages after one and up to another, as they stood when a control record was the newest.
SELECT id, turn_id, step, role, content, preface, reasoning, opaque, origin, model, prompt_tokens, cached_tokens, completion_tokens, pictures
FROM messages
WHERE session_key = sqlc.arg(session_key) AND id > sqlc.arg(upto) AND id <= sqlc.arg(last) AND NOT display_only
  AND (rewound_by IS NULL OR rewound_by > sqlc.arg(newest)::bigint) AND NOT spells @> sqlc.arg(newest)::bigint
ORDER BY id;

-- name: ContextAsked :one
-- What a person asked in a turn that was compressed while it ran.
SELECT id, turn_id, content, preface, origin FROM messages
WHERE session_key = sqlc.arg(session_key) AND turn_id = sqlc.arg(turn_id)::text AND id <= sqlc.arg(upto)
  AND role = 'user' AND NOT display_only AND (rewound_by IS NULL OR rewound_by > sqlc.arg(newest)::bigint) AND NOT spells @> sqlc.arg(newest)::bigint
ORDER BY id DESC LIMIT 1;

-- name: ContextCalls :many
SELECT id, message_id, name, class, arguments, state, summary, result, is_error, offload, pictures FROM tool_calls
WHERE session_key = sqlc.arg(session_key) AND message_id > sqlc.arg(upto) AND message_id <= sqlc.arg(last)
ORDER BY message_id, n;

-- name: ControlAdd :one
-- No row: a record with this key is there.
INSERT INTO controls (session_key, kind, message_id, turn_id, key, body)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (session_key, key) WHERE key <> '' DO NOTHING
RETURNING id, created_at;

-- name: ControlByKey :one
SELECT id, kind, message_id, turn_id, key, body, created_at FROM controls WHERE session_key = $1 AND key = $2;

-- name: SessionSetCompaction :exec
UPDATE sessions SET compaction_id = $2 WHERE key = $1;
