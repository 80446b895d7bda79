-- name: HookScene :one
-- The data of a turn for hooks, and whether its conversation begins with it.
SELECT s.channel, s.cwd, s.chat_type, coalesce(a.role, '')::text AS role, coalesce(a.instance, '')::text AS instance, s.model, coalesce(s.origin ->> 'to', '')::text AS chat, coalesce(u.name, '')::text AS sender,
       (NOT EXISTS (
           SELECT 1 FROM turns p WHERE p.session_key = s.key AND p.id <> t.id AND p.started_at <= t.started_at AND p.started_at > coalesce(rs.created_at, '-infinity')
       ))::boolean AS first,
       coalesce(rs.body -> 'reset' ->> 'reason', '')::text AS reset,
       t.state
FROM turns t
JOIN sessions s ON s.key = t.session_key
LEFT JOIN subagents a ON a.session_key = s.key
LEFT JOIN users u ON u.id = t.user_id
LEFT JOIN controls rs ON rs.id = s.reset_id
WHERE t.id = $1;

-- name: HookPlace :one
-- Where commands of a conversation run.
SELECT user_id, cwd, cwd_runner, runner FROM sessions WHERE key = $1;

-- name: HookClaimed :many
-- Claimed messages of a turn that were not passed to hooks before.
SELECT m.id, m.content, m.origin, coalesce(i.platform_id, '')::text AS key
FROM messages m LEFT JOIN inbox i ON i.id = m.inbox_id
WHERE m.turn_id = sqlc.arg(turn_id)::text AND m.role = 'user' AND NOT m.display_only AND m.origin NOT IN ('overheard', 'context')
  AND NOT (m.origin = 'hook' AND m.inbox_id IS NULL)
  AND m.id > coalesce((SELECT max(h.message_upto) FROM hook_outcomes h WHERE h.turn_id = sqlc.arg(turn_id)::text), 0)
ORDER BY m.id;

-- name: HookRecord :execrows
INSERT INTO hook_outcomes (id, session_key, turn_id, event, decision, reason, context, notes, message_upto)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO NOTHING;

-- name: HookForget :exec
-- Forgets the oldest of what hooks said longer ago than that and whose turn has ended: a turn that runs may ask again. Some at a
-- time, and none that somebody else forgets at this moment.
DELETE FROM hook_outcomes WHERE id IN (
    SELECT h.id FROM hook_outcomes h
    WHERE h.created_at < now() - make_interval(secs => sqlc.arg(seconds)::float8)
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = h.turn_id AND t.state = 'running')
    ORDER BY h.created_at LIMIT 100 FOR UPDATE OF h SKIP LOCKED
);

-- name: HookGet :one
SELECT * FROM hook_outcomes WHERE id = $1;

-- name: HookRule :one
-- What hooks said before a call, once. Of the rule that the call had and the one that holds for it by now the stricter counts. Arguments that
-- they have changed come with what was judged of them.
UPDATE tool_calls SET
    hook              = sqlc.arg(hook),
    hook_note         = sqlc.arg(note),
    reason            = sqlc.arg(reason),
    rule              = CASE WHEN 'deny' IN (rule, sqlc.arg(rule)::text) THEN 'deny' WHEN 'plan' IN (rule, sqlc.arg(rule)::text) THEN 'plan'
                             WHEN 'ask' IN (rule, sqlc.arg(rule)::text) THEN 'ask' ELSE rule END,
    judged            = CASE WHEN sqlc.narg(arguments)::text IS NULL THEN judged ELSE sqlc.arg(judged)::boolean END,
    always            = coalesce(sqlc.narg(always), tool_calls.always),
    judged_digest     = coalesce(nullif(sqlc.arg(digest)::text, ''), judged_digest),
    written_arguments = CASE WHEN sqlc.narg(arguments)::text IS NULL THEN written_arguments ELSE tool_calls.arguments END,
    arguments         = coalesce(sqlc.narg(arguments), tool_calls.arguments),
    summary           = coalesce(sqlc.narg(summary), tool_calls.summary)
WHERE id = sqlc.arg(id) AND hook = 'due' AND state = 'open'
RETURNING *;

-- name: HookNote :one
-- Appends the context of hooks to a result while the turn runs: later the model has seen the result.
UPDATE tool_calls c SET result = c.result || sqlc.arg(note)::text
FROM turns t
WHERE c.id = sqlc.arg(id) AND c.state = 'done' AND t.id = c.turn_id AND t.state = 'running'
RETURNING c.*;

-- name: HookRefuse :many
-- Takes messages out of what the model sees, before it has seen them. They stay in the transcript.
UPDATE messages SET display_only = true
WHERE turn_id = sqlc.arg(turn_id)::text AND id = ANY(sqlc.arg(ids)::bigint[]) AND NOT display_only
RETURNING *;

-- name: HookUnanswered :one
-- Whether anything that the turn has claimed is left for the model.
SELECT EXISTS (
    SELECT 1 FROM messages WHERE turn_id = sqlc.arg(turn_id)::text AND role = 'user' AND NOT display_only AND origin NOT IN ('overheard', 'context')
      AND NOT (origin = 'hook' AND inbox_id IS NULL)
) AS unanswered;

-- name: HookEnd :one
-- The last answer of a turn and its notice.
SELECT coalesce((
           SELECT m.content FROM messages m WHERE m.turn_id = t.id AND m.role = 'assistant' AND NOT m.display_only ORDER BY m.id DESC LIMIT 1
       ), '')::text AS answer,
       coalesce((SELECT m.content FROM messages m WHERE m.turn_id = t.id AND m.role = 'notice' ORDER BY m.id DESC LIMIT 1), '')::text AS notice
FROM turns t WHERE t.id = $1;

-- name: HookDeferred :many
-- Calls that wait for an administrator, the longest first.
SELECT c.*, u.name AS user_name FROM tool_calls c JOIN sessions s ON s.key = c.session_key JOIN users u ON u.id = s.user_id
WHERE c.hook = 'deferred' AND c.approval = 'open' AND c.state = 'open'
ORDER BY c.asked_at LIMIT 100;
