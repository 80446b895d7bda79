-- name: InspectTurnsSince :many
-- Who began turns since a time, and the models that these asked.
SELECT DISTINCT u.name, t.model
FROM turns t
JOIN users u ON u.id = t.user_id
WHERE t.started_at >= sqlc.arg(since)
LIMIT 1000;

-- name: InspectSessions :many
-- A page of the conversations of all users, newest first, with what was counted of them: those that stand behind after_key,
-- which was used last at after_time; an empty key is before all.
-- The page is chosen first, and counted afterwards.
WITH page AS MATERIALIZED (
    SELECT s.key
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE (sqlc.arg(user_name)::text = '' OR u.name = sqlc.arg(user_name)::text)
      AND (sqlc.arg(channel)::text = '' OR s.channel = sqlc.arg(channel)::text)
      AND (sqlc.arg(agent)::text = '' OR s.agent = sqlc.arg(agent)::text)
      AND (sqlc.arg(active_minutes)::int = 0 OR s.last_interaction_at > now() - make_interval(mins => sqlc.arg(active_minutes)::int))
      AND (sqlc.arg(after_key)::text = '' OR s.last_interaction_at < sqlc.arg(after_time)::timestamptz
           OR s.last_interaction_at = sqlc.arg(after_time)::timestamptz AND s.key > sqlc.arg(after_key)::text)
    ORDER BY s.last_interaction_at DESC, s.key
    LIMIT sqlc.arg(n)
)
SELECT s.key, s.channel, s.title, s.agent, s.chat_type, s.scene, s.origin, s.model, s.created_at, s.last_interaction_at, u.name AS user_name,
       coalesce((SELECT t.id FROM turns t WHERE t.session_key = s.key AND t.state = 'running'), '')::text AS running,
       (SELECT count(*) FROM inbox i WHERE i.session_key = s.key AND i.kind IN ('message', 'control') AND i.outcome IS NULL)::int AS queued,
       (SELECT count(*) FROM turns t WHERE t.session_key = s.key)::int AS turns,
       (SELECT count(*) FROM messages m WHERE m.session_key = s.key AND m.rewound_by IS NULL)::int AS messages,
       (SELECT count(*) FROM controls c WHERE c.session_key = s.key AND c.kind = 'compact')::int AS compactions,
       coalesce(used.prompt_tokens, 0)::bigint AS input_tokens, coalesce(used.cached_tokens, 0)::bigint AS cached_tokens,
       coalesce(used.completion_tokens, 0)::bigint AS output_tokens,
       coalesce(last.model, '')::text AS context_model,
       coalesce(CASE WHEN last.id IS NULL OR k.created_at > last.created_at THEN (k.body -> 'compaction' ->> 'tokens_after')::int END,
                nullif(last.used, 0), last.estimated, 0)::int AS context_used
FROM page p
JOIN sessions s ON s.key = p.key
JOIN users u ON u.id = s.user_id
LEFT JOIN controls k ON k.id = s.compaction_id
LEFT JOIN controls rs ON rs.id = s.reset_id
LEFT JOIN LATERAL (
    SELECT m.id, m.model, m.created_at, m.prompt_tokens + m.completion_tokens AS used, st.estimated_tokens AS estimated
    FROM messages m LEFT JOIN steps st ON st.turn_id = m.turn_id AND st.step = m.step
    WHERE m.session_key = s.key AND m.role = 'assistant' AND NOT m.display_only AND m.rewound_by IS NULL AND m.id > coalesce(rs.message_id, 0)
    ORDER BY m.id DESC LIMIT 1
) last ON true
LEFT JOIN LATERAL (
    SELECT sum(g.prompt_tokens) AS prompt_tokens, sum(g.cached_tokens) AS cached_tokens, sum(g.completion_tokens) AS completion_tokens
    FROM user_token_usage g WHERE g.user_id = s.user_id AND g.session_key = s.key
) used ON true
ORDER BY s.last_interaction_at DESC, s.key;

-- name: InspectInbox :many
-- What was accepted and has no answer yet, oldest first: rows that wait, and those whose turn runs.
SELECT i.id, i.session_key, i.kind, i.mode, i.channel, i.sender, left(i.body, 400)::text AS body, i.accepted_at, i.turn_id, i.releases, u.name AS user_name,
       (i.throttled_at IS NOT NULL)::boolean AS throttled,
       (t.id IS NOT NULL)::boolean AS running,
       coalesce(t.held_told_at, i.held_told_at) AS held_told_at
FROM inbox i
JOIN users u ON u.id = i.user_id
LEFT JOIN turns t ON t.id = i.turn_id AND t.state = 'running'
WHERE i.kind <> 'stop' AND (i.outcome IS NULL OR i.outcome = 'claimed' AND t.id IS NOT NULL)
ORDER BY i.accepted_at, i.id
LIMIT sqlc.arg(n);

-- name: InspectUndelivered :many
-- What did not arrive on a platform, or may not have, newest first: those of the last days, and what waits after a failed try or for a minute.
SELECT o.id, o.session_key, o.kind, o.channel, o.account, o.state, o.error, o.created_at, o.ended_at, u.name AS user_name
FROM outbound o
JOIN sessions s ON s.key = o.session_key
JOIN users u ON u.id = s.user_id
WHERE o.kind <> 'settled' AND (
    o.state IN ('uncertain', 'failed', 'expired') AND o.ended_at > now() - make_interval(days => sqlc.arg(days)::int)
      AND NOT (o.kind = 'question' AND o.state = 'expired')
    OR o.state = 'waiting' AND (o.error <> '' OR o.created_at < now() - interval '1 minute')
)
ORDER BY coalesce(o.ended_at, o.created_at) DESC, o.id DESC
LIMIT sqlc.arg(n);

-- name: InspectCounts :one
SELECT (SELECT count(*) FROM sessions)::int AS sessions,
       (SELECT count(*) FROM turns WHERE state = 'running')::int AS running,
       (SELECT count(*) FROM inbox WHERE outcome IS NULL AND kind <> 'stop')::int AS waiting,
       (SELECT coalesce(extract(epoch FROM now() - min(accepted_at)), 0) FROM inbox WHERE outcome IS NULL AND kind <> 'stop')::int AS oldest_seconds,
       (SELECT count(*) FROM background_tasks WHERE state = 'running')::int AS tasks,
       (SELECT count(*) FROM connections WHERE connected AND seen_at > now() - interval '45 seconds')::int AS runners,
       (SELECT count(*) FROM users WHERE kind = 'person')::int AS users,
       pg_total_relation_size('feed_events')::bigint AS event_bytes,
       pg_total_relation_size('prompts')::bigint AS prompt_bytes,
       pg_database_size(current_database())::bigint AS bytes;

-- name: InspectWaiting :one
-- The messages that wait, as InspectCounts counts them.
SELECT count(*)::int AS waiting, coalesce(extract(epoch FROM now() - min(accepted_at)), 0)::float8 AS oldest_seconds
FROM inbox WHERE outcome IS NULL AND kind <> 'stop';

-- name: ExportMessages :many
SELECT * FROM messages WHERE session_key = $1 AND rewound_by IS NULL ORDER BY id;

-- name: ExportResults :many
-- The whole of results of which the conversation shows a summary.
SELECT c.id, b.body
FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
LEFT JOIN sessions r ON r.key = s.root
JOIN offloads o ON o.session_key = coalesce(r.key, s.key) AND o.id = c.offload
JOIN blobs b ON b.hash = o.blob
WHERE c.session_key = $1 AND c.offload <> '';

-- name: ExportControls :many
SELECT id, kind, message_id, turn_id, key, body, created_at FROM controls
WHERE session_key = $1 AND kind IN ('compact', 'reset')
ORDER BY message_id, id;

-- name: ImportTurn :exec
INSERT INTO turns (id, session_key, run_id, state, steps, model, prompt_tokens, cached_tokens, completion_tokens, started_at, ended_at)
VALUES ($1, $2, '', 'done', $3, $4, $5, $6, $7, $8, $9);

-- name: ImportMessage :one
WITH m AS (
    INSERT INTO messages (session_key, turn_id, step, role, content, reasoning, display_only, model, finish, prompt_tokens, cached_tokens, completion_tokens,
                          created_at, origin, sender, preface)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    RETURNING id
), w AS (
    INSERT INTO message_words (message_id, words)
    SELECT m.id, sqlc.arg(words)::text::tsvector FROM m WHERE sqlc.arg(words)::text <> ''
)
SELECT m.id FROM m;

-- name: ImportCall :exec
INSERT INTO tool_calls (id, session_key, turn_id, step, n, message_id, name, class, arguments, state, result, is_error, started_at, finished_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'once', $8, 'done', $9, $10, $11, $11);

-- name: ImportControl :one
INSERT INTO controls (session_key, kind, message_id, body, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id;

-- name: ImportEnds :exec
-- Where the conversation begins for the model, and when it was last used.
UPDATE sessions SET compaction_id = sqlc.narg(compaction_id), reset_id = sqlc.narg(reset_id), created_at = sqlc.arg(created_at), last_interaction_at = sqlc.arg(last_interaction_at)
WHERE key = sqlc.arg(key);
