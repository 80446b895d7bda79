-- name: TaskInsert :one
-- Makes the command of a call that has just got its result a background task, with the next number of the session.
INSERT INTO background_tasks (call_id, session_key, user_id, n, command, dir, runner, started_on, started_at)
SELECT c.id, c.session_key, s.user_id,
       1 + coalesce((SELECT max(b.n) FROM background_tasks b WHERE b.session_key = c.session_key), 0),
       sqlc.arg(command), sqlc.arg(dir), sqlc.arg(runner), c.started_on, sqlc.arg(started_at)
FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
WHERE c.id = sqlc.arg(call_id)
RETURNING *;

-- name: CallSetTask :one
UPDATE tool_calls SET task = sqlc.arg(task), result = result || sqlc.arg(suffix)::text WHERE id = sqlc.arg(id)
RETURNING *;

-- name: TaskGet :one
SELECT sqlc.embed(b), c.turn_id, u.name AS user_name, s.channel
FROM background_tasks b
JOIN tool_calls c ON c.id = b.call_id
JOIN users u ON u.id = b.user_id
JOIN sessions s ON s.key = b.session_key
WHERE b.call_id = $1;

-- name: TaskFind :one
SELECT * FROM background_tasks WHERE session_key = $1 AND n = $2;

-- name: TaskList :many
-- The tasks of a session, newest first, without what they wrote.
SELECT call_id, session_key, user_id, n, command, dir, runner, started_on, state, code, total, ''::text AS output,
       started_at, ended_at, kill_asked_at, checked_at
FROM background_tasks
WHERE session_key = $1
ORDER BY n DESC
LIMIT $2;

-- name: TaskRunningCount :one
SELECT count(*)::int FROM background_tasks WHERE session_key = $1 AND state = 'running';

-- name: TaskRunningCountOf :one
-- The running tasks of a user, in all sessions.
SELECT count(*)::int FROM background_tasks WHERE user_id = $1 AND state = 'running';

-- name: TaskAskKill :one
-- Notes that a running task is to be killed. No row: it has ended, or there is none.
UPDATE background_tasks SET kill_asked_at = coalesce(kill_asked_at, now())
WHERE session_key = $1 AND n = $2 AND state = 'running'
RETURNING *;

-- name: TaskKillAsked :one
SELECT (kill_asked_at IS NOT NULL AND state = 'running')::boolean AS asked FROM background_tasks WHERE call_id = $1;

-- name: TaskEnd :one
-- Ends a running task. No row: it has ended before, or its session was deleted.
UPDATE background_tasks SET state = sqlc.arg(state), code = sqlc.arg(code), total = sqlc.arg(total), output = sqlc.arg(output), ended_at = sqlc.arg(ended_at)
WHERE call_id = sqlc.arg(call_id) AND state = 'running'
RETURNING *;

-- name: TaskToStart :many
-- Running tasks whose workflow was not looked for a while; the caller starts it unless it runs.
UPDATE background_tasks SET checked_at = now()
WHERE call_id IN (
    SELECT t.call_id FROM background_tasks t
    WHERE t.state = 'running' AND t.checked_at < now() - sqlc.arg(older)::interval
    ORDER BY t.checked_at
    LIMIT 50
    FOR UPDATE SKIP LOCKED
)
RETURNING call_id;

-- name: InboxTellTask :exec
-- Inserts the message that reports the end of a task to a session. It does not count against the queue limit.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body)
SELECT b.session_key, b.user_id, 'background', s.channel, 'background', b.call_id, sqlc.arg(body)
FROM background_tasks b
JOIN sessions s ON s.key = b.session_key
WHERE b.call_id = sqlc.arg(call_id)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING;

-- name: InboxTell :one
-- What the product says to a conversation. The id is 0 where it was told before; no row: there is no such session.
WITH told AS (
    INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, place, options, reset)
    SELECT s.key, s.user_id, 'background', s.channel, sqlc.arg(origin), sqlc.arg(key), sqlc.arg(body), sqlc.narg(place), sqlc.arg(options), sqlc.arg(reset)
    FROM sessions s WHERE s.key = sqlc.arg(session)
    ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING
    RETURNING id
)
SELECT coalesce((SELECT told.id FROM told), 0)::bigint AS id FROM sessions s WHERE s.key = sqlc.arg(session);

-- name: InboxTaskTold :exec
-- Marks tasks whose end the model has read, so that they need no turn.
UPDATE inbox SET outcome = 'applied'
WHERE inbox.session_key = $1 AND inbox.kind = 'background' AND inbox.outcome IS NULL
  AND inbox.platform_id = ANY(sqlc.arg(calls)::text[]);

-- name: CommandInsert :exec
-- Keeps the command with the folder and the runner of its session at this moment.
INSERT INTO commands (inbox_id, command, dir, dir_runner, runner)
SELECT i.id, sqlc.arg(command), s.cwd, s.cwd_runner, s.runner
FROM inbox i JOIN sessions s ON s.key = i.session_key
WHERE i.id = sqlc.arg(inbox_id);

-- name: CommandPlace :one
-- Where a command comes from: its conversation, the one at the top of its tree, and the message that asked for it, which is the
-- given one or the first of the turn. An attempt that is made again reads the same.
SELECT s.key, top.channel, top.chat_type, top.origin, coalesce(i.channel, '')::text AS sent_on, coalesce(i.account, '')::text AS account,
       coalesce(i.platform_id, '')::text AS message, i.place, coalesce(u.name, '')::text AS sender
FROM sessions s
JOIN sessions top ON top.key = coalesce(nullif(s.root, ''), s.key)
LEFT JOIN inbox i ON i.id = coalesce(sqlc.narg(inbox_id)::bigint, (
    SELECT f.id FROM inbox f WHERE f.turn_id = sqlc.arg(turn_id)::text AND f.kind = 'message' ORDER BY f.claim, f.sent_at, f.sent_seq, f.id LIMIT 1))
LEFT JOIN users u ON u.id = i.user_id AND u.kind = 'person'
WHERE s.key = sqlc.arg(session_key);

-- name: CommandGet :one
-- It runs with the rights of the session's owner, whoever wrote it: in a group those of the group.
SELECT c.inbox_id, c.command, c.dir, c.dir_runner, c.runner, c.started_on, i.session_key, s.user_id, i.body, i.files, coalesce(i.outcome, '')::text AS outcome,
       u.name AS user_name
FROM commands c
JOIN inbox i ON i.id = c.inbox_id
JOIN sessions s ON s.key = i.session_key
JOIN users u ON u.id = i.user_id
WHERE c.inbox_id = $1;

-- name: CommandSetStartedOn :execrows
-- Notes where the command is about to be sent to. The first note stands. No row: its session was deleted.
UPDATE commands SET
    runner     = CASE WHEN started_on = '' THEN sqlc.arg(runner)::text ELSE runner END,
    started_on = CASE WHEN started_on = '' THEN sqlc.arg(started_on)::text ELSE started_on END
WHERE inbox_id = sqlc.arg(inbox_id);

-- name: CommandEnd :one
UPDATE inbox SET outcome = 'applied' WHERE id = $1 AND kind = 'command' AND outcome IS NULL
RETURNING session_key;

-- name: CommandOpenCount :one
SELECT count(*)::int FROM inbox WHERE session_key = $1 AND kind = 'command' AND outcome IS NULL;

-- name: CommandToStart :many
-- Commands without an answer, each at most once a back-off (2 s, doubling to 60 s).
UPDATE inbox SET woken_at = now(), wakes = wakes + 1
WHERE id IN (
    SELECT i.id FROM inbox i
    WHERE i.kind = 'command' AND i.outcome IS NULL
      AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))
    ORDER BY i.woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: TaskAskKillOf :exec
UPDATE background_tasks SET kill_asked_at = coalesce(kill_asked_at, now()) WHERE call_id = $1 AND state = 'running';
