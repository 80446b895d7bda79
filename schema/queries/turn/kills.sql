-- name: KillNote :exec
INSERT INTO kills (call_id, runner) VALUES ($1, $2)
ON CONFLICT (call_id) DO UPDATE SET runner = EXCLUDED.runner, asked_at = now(), sent_at = NULL;

-- name: KillSent :exec
UPDATE kills SET sent_at = now() WHERE call_id = $1;

-- name: KillListOpen :many
SELECT call_id, runner FROM kills
WHERE sent_at IS NULL AND runner = ANY(sqlc.arg(runners)::text[])
ORDER BY asked_at
LIMIT 1000;

-- name: KillPrune :exec
DELETE FROM kills WHERE asked_at < now() - interval '8 days';

-- name: KillNoteOfTurn :exec
-- Notes the kill of what a turn left running that is closed, or about to be deleted: its calls, and the processes of coding agents, which
-- end here. Calls that are about to be sent are waited for: from here on neither is sent. A runner other than the server's host is named with its owner, as in connections.
WITH left_open AS MATERIALIZED (
    SELECT c.id, c.runner, c.state, c.started_on, s.user_id
    FROM tool_calls c JOIN sessions s ON s.key = c.session_key
    WHERE c.turn_id = sqlc.arg(turn_id) AND c.state <> 'done' AND c.class = 'exec'
    ORDER BY c.step, c.n
    FOR NO KEY UPDATE OF c
), coding AS (
    UPDATE coding_runs r SET ended_at = now()
    FROM sessions s
    WHERE s.key = r.session_key AND r.turn_id = sqlc.arg(turn_id) AND r.ended_at IS NULL
    RETURNING r.turn_id, r.round, r.runner, r.store, s.user_id
), gone AS (
    SELECT id, runner, user_id FROM left_open WHERE state = 'running' AND started_on <> ''
    UNION ALL
    SELECT 'agent.' || turn_id || '.' || round, runner, user_id FROM coding WHERE store <> ''
)
INSERT INTO kills (call_id, runner)
SELECT id, CASE WHEN runner = 'local' THEN runner ELSE user_id || '/' || runner END
FROM gone
ON CONFLICT (call_id) DO NOTHING;

-- name: KillNoteCall :exec
-- Notes the kill of the command of a call that is given up, unless it was never sent. From here on it is not.
WITH given_up AS MATERIALIZED (
    SELECT c.id, c.runner, c.started_on, s.user_id
    FROM tool_calls c JOIN sessions s ON s.key = c.session_key
    WHERE c.id = sqlc.arg(call_id) AND c.state = 'running' AND c.class = 'exec'
    FOR NO KEY UPDATE OF c
)
INSERT INTO kills (call_id, runner)
SELECT id, CASE WHEN runner = 'local' THEN runner ELSE user_id || '/' || runner END
FROM given_up
WHERE started_on <> ''
ON CONFLICT (call_id) DO NOTHING;

-- name: KillCountUnsent :one
-- How many commands of a turn are to be killed whose runners have not heard of it.
SELECT count(*)::int FROM kills k JOIN tool_calls c ON c.id = k.call_id WHERE c.turn_id = sqlc.arg(turn_id) AND k.sent_at IS NULL;

-- name: KillNoteTasksOf :exec
-- Notes the kill of the background tasks that run in a session which is about to be deleted.
WITH running AS MATERIALIZED (
    SELECT call_id, runner, user_id FROM background_tasks
    WHERE session_key = sqlc.arg(session_key) AND state = 'running'
    FOR UPDATE
)
INSERT INTO kills (call_id, runner)
SELECT call_id, CASE WHEN runner = 'local' THEN runner ELSE user_id || '/' || runner END
FROM running
ON CONFLICT (call_id) DO NOTHING;

-- name: KillNoteCommandsOf :exec
-- Notes the kill of the bang commands that run in a session which is about to be deleted. Their ids are those of
-- chat.Bang.
WITH open AS MATERIALIZED (
    SELECT c.inbox_id, c.runner, c.started_on, s.user_id
    FROM commands c JOIN inbox i ON i.id = c.inbox_id JOIN sessions s ON s.key = i.session_key
    WHERE i.session_key = sqlc.arg(session_key) AND i.kind = 'command' AND i.outcome IS NULL
    FOR UPDATE OF c
)
INSERT INTO kills (call_id, runner)
SELECT 'cmd.' || inbox_id, CASE WHEN runner = 'local' THEN runner ELSE user_id || '/' || runner END
FROM open
WHERE started_on <> ''
ON CONFLICT (call_id) DO NOTHING;
