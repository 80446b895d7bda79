-- name: CodingThread :one
-- The thread of a conversation. fresh says that the conversation began anew since, or that what the agent was given last was taken back.
SELECT t.agent, t.thread, t.runner, t.dir, t.upto, t.input_tokens, t.cached_tokens, t.output_tokens, (
    t.reset_id <> coalesce((SELECT s.reset_id FROM sessions s WHERE s.key = t.session_key), 0)
    OR t.upto > 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = t.upto AND m.session_key = t.session_key AND m.rewound_by IS NULL)
)::boolean AS fresh
FROM coding_threads t
WHERE t.session_key = $1;

-- name: CodingThreadKeep :exec
INSERT INTO coding_threads (session_key, agent, thread, runner, dir, upto, reset_id)
VALUES (sqlc.arg(session_key), sqlc.arg(agent), sqlc.arg(thread), sqlc.arg(runner), sqlc.arg(dir), sqlc.arg(upto),
        coalesce((SELECT s.reset_id FROM sessions s WHERE s.key = sqlc.arg(session_key)), 0))
ON CONFLICT (session_key) DO UPDATE SET
    input_tokens = CASE WHEN coding_threads.thread = EXCLUDED.thread THEN coding_threads.input_tokens ELSE 0 END,
    cached_tokens = CASE WHEN coding_threads.thread = EXCLUDED.thread THEN coding_threads.cached_tokens ELSE 0 END,
    output_tokens = CASE WHEN coding_threads.thread = EXCLUDED.thread THEN coding_threads.output_tokens ELSE 0 END,
    agent = EXCLUDED.agent, thread = EXCLUDED.thread, runner = EXCLUDED.runner, dir = EXCLUDED.dir,
    upto = EXCLUDED.upto, reset_id = EXCLUDED.reset_id, updated_at = now();

-- name: CodingThreadBind :execrows
-- Binds a thread from the newest message on. No row: a turn runs, whose thread would take its place.
INSERT INTO coding_threads (session_key, agent, thread, runner, dir, upto, reset_id)
SELECT s.key, sqlc.arg(agent), sqlc.arg(thread), sqlc.arg(runner), sqlc.arg(dir),
       coalesce((SELECT max(m.id) FROM messages m WHERE m.session_key = s.key AND m.rewound_by IS NULL), 0), coalesce(s.reset_id, 0)
FROM sessions s
WHERE s.key = sqlc.arg(session_key) AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running')
ON CONFLICT (session_key) DO UPDATE SET
    agent = EXCLUDED.agent, thread = EXCLUDED.thread, runner = EXCLUDED.runner, dir = EXCLUDED.dir, upto = EXCLUDED.upto, reset_id = EXCLUDED.reset_id,
    input_tokens = 0, cached_tokens = 0, output_tokens = 0, updated_at = now();

-- name: CodingThreadOfOthers :one
-- Whether a thread belongs to a conversation of somebody else than whose this one is.
SELECT EXISTS (
    SELECT 1 FROM coding_threads t JOIN sessions s ON s.key = t.session_key
    WHERE t.agent = sqlc.arg(agent) AND t.thread = sqlc.arg(thread)
      AND s.user_id <> (SELECT own.user_id FROM sessions own WHERE own.key = sqlc.arg(session_key))
)::boolean;

-- name: CodingThreadSpend :exec
UPDATE coding_threads SET input_tokens = input_tokens + sqlc.arg(input), cached_tokens = cached_tokens + sqlc.arg(cached), output_tokens = output_tokens + sqlc.arg(output)
WHERE session_key = sqlc.arg(session_key);

-- name: CodingRunBegin :exec
-- The first one that is written stands. A turn that is over begins none.
INSERT INTO coding_runs (turn_id, round, session_key, request, upto, runner)
SELECT t.id, sqlc.arg(round), t.session_key, sqlc.arg(request), sqlc.arg(upto), sqlc.arg(runner)
FROM turns t WHERE t.id = sqlc.arg(turn_id) AND t.session_key = sqlc.arg(session_key) AND t.state = 'running'
FOR SHARE OF t
ON CONFLICT (turn_id, round) DO NOTHING;

-- name: CodingRunList :many
SELECT round, request, upto, runner, store, (ended_at IS NOT NULL)::boolean AS ended FROM coding_runs WHERE turn_id = $1 ORDER BY round;

-- name: CodingRunSent :execrows
UPDATE coding_runs SET store = sqlc.arg(store) WHERE turn_id = sqlc.arg(turn_id) AND round = sqlc.arg(round) AND ended_at IS NULL;

-- name: CodingRunEnd :execrows
UPDATE coding_runs SET ended_at = now() WHERE turn_id = sqlc.arg(turn_id) AND round = sqlc.arg(round) AND ended_at IS NULL;

-- name: CodingRunListAsking :many
-- Processes that wait for a person, with the call that asks the question, in random order: where there are more than can be looked at, each
-- gets its turn.
SELECT c.id AS call_id, r.turn_id, r.round, (r.request ->> 'agent')::text AS agent, r.runner, r.store, s.user_id
FROM tool_calls c
JOIN turns t ON t.id = c.turn_id AND t.state = 'running'
JOIN coding_runs r ON r.turn_id = c.turn_id AND c.provider_id LIKE 'agent.' || r.round || '.%'
JOIN sessions s ON s.key = c.session_key
WHERE c.approval = 'open' AND r.store <> '' AND r.ended_at IS NULL
ORDER BY random()
LIMIT 500;

-- name: CodingRunListNewest :many
-- The newest process of each agent on each runner that answered its turn or failed. Those of earlier turns of a conversation are forgotten.
SELECT DISTINCT ON (r.request ->> 'agent', r.runner, s.user_id)
    (r.request ->> 'agent')::text AS agent, r.runner, s.user_id, r.ended_at::timestamptz AS ended_at, (t.state = 'done')::boolean AS answered
FROM coding_runs r
JOIN turns t ON t.id = r.turn_id AND t.state IN ('done', 'failed')
JOIN sessions s ON s.key = r.session_key
WHERE r.ended_at IS NOT NULL
ORDER BY r.request ->> 'agent', r.runner, s.user_id, r.ended_at DESC;

-- name: CodingRunForget :exec
-- Forgets the ended processes of earlier turns of a conversation.
DELETE FROM coding_runs WHERE session_key = sqlc.arg(session_key) AND turn_id <> sqlc.arg(turn_id) AND ended_at IS NOT NULL;
