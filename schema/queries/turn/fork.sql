-- name: ForkEnd :one
-- Where the turn of a message ends, and its state; of a message without a turn the message itself.
SELECT coalesce((SELECT max(o.id) FROM messages o WHERE o.turn_id = m.turn_id), m.id)::bigint AS last, coalesce(t.state, '')::text AS state,
       m.rewound_by
FROM messages m
LEFT JOIN turns t ON t.id = m.turn_id
WHERE m.session_key = $1 AND m.id = $2;

-- name: ForkSession :execrows
-- Everything of a session that is not its conversation. No row: the key is taken.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, runner, context_mode, preset, plan, fork_of, agent, model, think, verbosity)
SELECT sqlc.arg(new_key), s.user_id, sqlc.arg(channel), sqlc.arg(title), s.cwd, s.cwd_runner, s.runner, s.context_mode, s.preset, s.plan, s.key,
       s.agent, s.model, s.think, s.verbosity
FROM sessions s WHERE s.key = sqlc.arg(session_key)
ON CONFLICT (key) DO NOTHING;

-- name: ForkMessages :many
-- What is copied: the messages of closed turns and what stands between them, without what was taken out and without
-- commands that have no answer yet.
SELECT m.id, m.turn_id
FROM messages m
LEFT JOIN turns t ON t.id = m.turn_id
WHERE m.session_key = sqlc.arg(session_key) AND m.id <= sqlc.arg(upto) AND m.rewound_by IS NULL
  AND t.state IS DISTINCT FROM 'running'
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE m.turn_id IS NULL AND i.id = m.inbox_id AND i.outcome IS NULL)
ORDER BY m.id;

-- name: ForkMessageIDs :many
SELECT nextval(pg_get_serial_sequence('messages', 'id'))::bigint AS id FROM generate_series(1, sqlc.arg(n)::int);

-- name: ForkControlIDs :many
SELECT nextval(pg_get_serial_sequence('controls', 'id'))::bigint AS id FROM generate_series(1, sqlc.arg(n)::int);

-- name: ForkTurns :exec
-- Their runs stay those of the original: the copies have none.
INSERT INTO turns (id, session_key, run_id, state, steps, model, prompt_tokens, cached_tokens, completion_tokens,
                   started_at, ended_at, checked_at, system_hash)
SELECT n.id, sqlc.arg(new_key), '', t.state, t.steps, t.model, t.prompt_tokens, t.cached_tokens, t.completion_tokens,
       t.started_at, t.ended_at, t.checked_at, t.system_hash
FROM (SELECT unnest(sqlc.arg(old_turns)::text[]) AS old, unnest(sqlc.arg(new_turns)::text[]) AS id) n
JOIN turns t ON t.id = n.old;

-- name: ForkStepMarks :many
SELECT turn_id, step, control_upto, compaction_id, message_upto FROM steps
WHERE turn_id = ANY(sqlc.arg(turns)::text[])
ORDER BY turn_id, step;

-- name: ForkSteps :exec
-- The hash of the request stays that of what was sent: made again, it has other ids of calls in it.
INSERT INTO steps (turn_id, step, state, failures, finish, fault, prompt_hash, started_at, finished_at, reminder, pruned, fill, request_hash, request_bytes,
                   estimated_tokens, control_upto, compaction_id, message_upto)
SELECT n.id, s.step, s.state, s.failures, s.finish, s.fault, s.prompt_hash, s.started_at, s.finished_at, s.reminder, s.pruned, s.fill,
       s.request_hash, s.request_bytes, s.estimated_tokens, n.control_upto, nullif(n.compaction_id, 0), n.message_upto
FROM (
    SELECT unnest(sqlc.arg(old_turns)::text[]) AS old, unnest(sqlc.arg(new_turns)::text[]) AS id, unnest(sqlc.arg(steps)::int[]) AS step,
           unnest(sqlc.arg(control_uptos)::bigint[]) AS control_upto, unnest(sqlc.arg(compactions)::bigint[]) AS compaction_id,
           unnest(sqlc.arg(message_uptos)::bigint[]) AS message_upto
) n
JOIN steps s ON s.turn_id = n.old AND s.step = n.step;

-- name: ForkMessageRows :exec
-- While old messages are still being indexed the copies are indexed with them.
WITH n AS (
    SELECT unnest(sqlc.arg(old_ids)::bigint[]) AS old, unnest(sqlc.arg(new_ids)::bigint[]) AS id, unnest(sqlc.arg(new_turns)::text[]) AS turn
), copied AS (
    INSERT INTO messages (id, session_key, turn_id, step, role, content, preface, reasoning, opaque, display_only, model, finish,
                          prompt_tokens, cached_tokens, completion_tokens, created_at, origin, sender, shown, silent, deliver, pictures)
    OVERRIDING SYSTEM VALUE
    SELECT n.id, sqlc.arg(new_key), nullif(n.turn, ''), m.step, m.role, m.content, m.preface, m.reasoning, m.opaque, m.display_only, m.model, m.finish,
           m.prompt_tokens, m.cached_tokens, m.completion_tokens, m.created_at, m.origin,
           m.sender, m.shown, m.silent, m.deliver, m.pictures
    FROM n JOIN messages m ON m.id = n.old
), later AS (
    UPDATE word_indexes SET below = greatest(below, (SELECT max(n.id) + 1 FROM n)) WHERE name = 'messages' AND below > 0
)
INSERT INTO message_words (message_id, words)
SELECT n.id, w.words FROM n JOIN message_words w ON w.message_id = n.old;

-- name: ForkCalls :exec
INSERT INTO tool_calls (id, session_key, turn_id, step, n, message_id, provider_id, name, class, arguments, summary, state, runner,
                        started_at, result, is_error, finished_at, rule, approval, reason, note, asked_at, answered_at, answered_by, offload, questions, plan, answers, pictures, diff, sources)
SELECT n.turn || substr(c.id, length(c.turn_id) + 1), sqlc.arg(new_key), n.turn, c.step, c.n, n.id, c.provider_id, c.name, c.class, c.arguments,
       c.summary, c.state, c.runner, c.started_at, c.result, c.is_error, c.finished_at, c.rule, c.approval, c.reason, c.note, c.asked_at,
       c.answered_at, c.answered_by, c.offload, c.questions, c.plan, c.answers, c.pictures, c.diff, c.sources
FROM (
    SELECT unnest(sqlc.arg(old_ids)::bigint[]) AS old, unnest(sqlc.arg(new_ids)::bigint[]) AS id, unnest(sqlc.arg(new_turns)::text[]) AS turn
) n
JOIN tool_calls c ON c.message_id = n.old;

-- name: ForkPictures :exec
-- All of them: what the copy does not show costs space and nothing else.
INSERT INTO pictures (session_key, hash, media_type, width, height, data, created_at)
SELECT sqlc.arg(new_key), p.hash, p.media_type, p.width, p.height, p.data, p.created_at FROM pictures p WHERE p.session_key = sqlc.arg(session_key);

-- name: ForkOffloads :exec
-- Those of the calls that were copied, and those that no call made, unless they came after the last message. Their bodies are
-- shared.
INSERT INTO offloads (session_key, id, call_id, blob, bytes, tool, path, runner, file_size, file_time, file_hash, created_at)
SELECT sqlc.arg(new_key), o.id, n.turn || substr(c.id, length(c.turn_id) + 1), o.blob, o.bytes, o.tool, o.path, o.runner, o.file_size,
       o.file_time, o.file_hash, o.created_at
FROM offloads o
LEFT JOIN tool_calls c ON c.id = o.call_id
LEFT JOIN (SELECT unnest(sqlc.arg(old_turns)::text[]) AS old, unnest(sqlc.arg(new_turns)::text[]) AS turn) n ON n.old = c.turn_id
WHERE o.session_key = (SELECT coalesce(nullif(s.root, ''), s.key) FROM sessions s WHERE s.key = sqlc.arg(session_key))
  AND (o.call_id IS NULL AND o.session_key = sqlc.arg(session_key) AND (sqlc.arg(whole)::boolean OR o.created_at <= (
           SELECT max(m.created_at) FROM messages m WHERE m.id = ANY(sqlc.arg(old_ids)::bigint[])
       )) OR n.turn IS NOT NULL AND c.session_key = sqlc.arg(session_key));

-- name: ForkControls :many
-- Those that hold, up to the last message that is copied: a rewind is done with, and so is a reset that it has undone.
SELECT c.id, c.kind, c.message_id, c.turn_id, c.key, c.body, c.created_at FROM controls c
WHERE c.session_key = sqlc.arg(session_key) AND c.kind <> 'rewind' AND (c.kind <> 'reset' OR c.message_id <= sqlc.arg(upto))
  AND (c.kind = 'compact' OR c.away_by IS NULL)
ORDER BY c.id;

-- name: ForkControlRows :exec
INSERT INTO controls (id, session_key, kind, message_id, turn_id, key, body, created_at)
OVERRIDING SYSTEM VALUE
SELECT n.id, sqlc.arg(new_key), c.kind, n.message_id, n.turn, c.key, n.body::jsonb, c.created_at
FROM (
    SELECT unnest(sqlc.arg(old_ids)::bigint[]) AS old, unnest(sqlc.arg(new_ids)::bigint[]) AS id, unnest(sqlc.arg(message_ids)::bigint[]) AS message_id,
           unnest(sqlc.arg(new_turns)::text[]) AS turn, unnest(sqlc.arg(bodies)::text[]) AS body
) n
JOIN controls c ON c.id = n.old;

-- name: ForkReset :one
SELECT reset_id FROM sessions WHERE key = $1;

-- name: ForkBegin :exec
-- Where the copy begins for the model.
UPDATE sessions SET compaction_id = $2, reset_id = $3 WHERE key = $1;

-- name: ForkTodos :exec
INSERT INTO todos (session_key, items, updated_at)
SELECT sqlc.arg(new_key), t.items, t.updated_at FROM todos t WHERE t.session_key = sqlc.arg(session_key);

-- name: ForkParts :exec
INSERT INTO session_parts (session_key, key, source, body, created_at)
SELECT sqlc.arg(new_key), p.key, p.source, p.body, p.created_at FROM session_parts p WHERE p.session_key = sqlc.arg(session_key);

-- name: ForkActiveTools :exec
-- The copy's messages are there already: what the original uses counts as used at their end.
INSERT INTO active_tools (session_key, name, message_id)
SELECT sqlc.arg(new_key), a.name, coalesce((SELECT max(id) FROM messages WHERE session_key = sqlc.arg(new_key)), 0)
FROM active_tools a WHERE a.session_key = sqlc.arg(session_key);

-- name: ForkRefusedTools :exec
INSERT INTO refused_tools (session_key, model, tool, digest, reason, refused_at)
SELECT sqlc.arg(new_key), r.model, r.tool, r.digest, r.reason, r.refused_at FROM refused_tools r WHERE r.session_key = sqlc.arg(session_key);

-- name: ForkRefusedRequests :exec
INSERT INTO refused_requests (session_key, model, window_size, request_hash, refused_at)
SELECT sqlc.arg(new_key), r.model, r.window_size, r.request_hash, r.refused_at FROM refused_requests r WHERE r.session_key = sqlc.arg(session_key);
