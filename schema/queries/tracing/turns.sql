-- name: TurnOf :one
-- A turn with its conversation, its user, and for a subagent the task that it carries out.
SELECT t.id, t.session_key, t.state, t.model, t.started_at, t.ended_at,
       s.channel, s.agent, s.chat_type, o.id AS user_id, o.name AS user_name, o.kind AS user_kind,
       coalesce(k.tree, '')::text AS tree, coalesce(g.call_id, k.call_id, '')::text AS asked_by, coalesce(a.role, '')::text AS role,
       coalesce((SELECT string_agg(i.kind, ',' ORDER BY i.id) FROM inbox i WHERE i.turn_id = t.id), '')::text AS kinds
FROM turns t
JOIN sessions s ON s.key = t.session_key
JOIN users o ON o.id = coalesce(t.user_id, s.user_id)
LEFT JOIN LATERAL (SELECT k.tree, k.call_id, k.group_id FROM subagent_tasks k WHERE k.turn_id = t.id ORDER BY k.created_at, k.call_id LIMIT 1) k ON true
LEFT JOIN group_chats g ON g.id = k.group_id
LEFT JOIN subagents a ON a.session_key = t.session_key
WHERE t.id = $1;

-- name: TurnSteps :many
-- The calls of a model, with the beginning of the answers where content is exported.
SELECT st.step, st.failures, st.finish, st.fault, st.started_at, st.finished_at, st.asked_at, st.first_token_ms, st.attempts, st.response_model, (st.compaction_id IS NOT NULL)::boolean AS compacted,
       coalesce(nullif(st.model, ''), m.model, '')::text AS model,
       coalesce(m.prompt_tokens, 0)::int AS prompt_tokens, coalesce(m.cached_tokens, 0)::int AS cached_tokens, coalesce(m.completion_tokens, 0)::int AS completion_tokens,
       (CASE WHEN sqlc.arg(content)::boolean THEN left(coalesce(m.content, ''), sqlc.arg(most)::int) ELSE '' END)::text AS answer
FROM steps st LEFT JOIN messages m ON m.turn_id = st.turn_id AND m.step = st.step AND m.role = 'assistant'
WHERE st.turn_id = sqlc.arg(turn_id)
ORDER BY st.step;

-- name: TurnCalls :many
SELECT c.id, c.step, c.name, c.class, c.attempts, c.started_at, c.finished_at, c.is_error, c.rule, c.approval, c.asked_at, c.answered_at, c.runner, c.task,
       (c.questions IS NOT NULL OR c.plan IS NOT NULL)::boolean AS inquires,
       (CASE WHEN sqlc.arg(content)::boolean THEN left(c.arguments, sqlc.arg(most)::int) ELSE '' END)::text AS arguments,
       (CASE WHEN sqlc.arg(content)::boolean THEN left(c.result, sqlc.arg(most)::int) ELSE '' END)::text AS result
FROM tool_calls c
WHERE c.turn_id = sqlc.arg(turn_id)
ORDER BY c.step, c.n;

-- name: TurnCompactions :many
SELECT c.id, c.created_at, c.body FROM controls c
WHERE c.session_key = sqlc.arg(session_key) AND c.turn_id = sqlc.arg(turn_id) AND c.kind = 'compact'
ORDER BY c.id;

-- name: TurnRetries :many
-- Failures of the provider in a turn, with their reasons, the newest of them.
SELECT r.created_at, r.data FROM (
    SELECT f.seq, f.created_at, f.data FROM feed_events f
    WHERE f.session_key = sqlc.arg(session_key) AND f.kind = 'retry' AND f.data ->> 'turn_id' = sqlc.arg(turn_id)::text
    ORDER BY f.seq DESC LIMIT 100) r
ORDER BY r.seq;

-- name: TurnInput :many
-- The beginning of what a turn answers: messages of people, programs and other conversations.
SELECT left(m.content, sqlc.arg(most)::int)::text AS content, m.created_at FROM messages m
WHERE m.turn_id = sqlc.arg(turn_id)::text AND m.role = 'user' AND m.origin <> 'overheard'
ORDER BY m.id LIMIT 50;

-- name: RatingOf :one
-- A rating with the step of its reply. No row: it was taken back.
SELECT r.helpful, r.comment, coalesce(m.turn_id, '')::text AS turn_id, coalesce(m.step, 0)::int AS step, coalesce(k.tree, '')::text AS tree, m.session_key
FROM reply_ratings r JOIN messages m ON m.id = r.message_id
LEFT JOIN LATERAL (SELECT k.tree FROM subagent_tasks k WHERE k.turn_id = m.turn_id ORDER BY k.created_at, k.call_id LIMIT 1) k ON true
WHERE r.message_id = sqlc.arg(message_id) AND r.user_id = sqlc.arg(user_id);
