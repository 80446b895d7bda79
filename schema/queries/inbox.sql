-- name: InboxInsert :one
-- No row: the id was used before, or max_queued messages of the session wait already.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, target_turn, outcome)
SELECT sqlc.arg(session_key), sqlc.arg(user_id), sqlc.arg(kind), sqlc.arg(channel), sqlc.arg(account), sqlc.arg(platform_id),
       sqlc.arg(body), sqlc.narg(target_turn), sqlc.narg(outcome)
WHERE sqlc.arg(kind)::text NOT IN ('message', 'control') OR sqlc.arg(max_queued)::int > (
    SELECT count(*) FROM inbox i WHERE i.session_key = sqlc.arg(session_key) AND i.kind IN ('message', 'control') AND i.outcome IS NULL
)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING
RETURNING id;

-- name: InboxByPlatformID :one
SELECT id, session_key, kind, body FROM inbox
WHERE channel = $1 AND account = $2 AND user_id = $3 AND platform_id = $4;

-- name: InboxClaimed :one
-- The folder is told only where it is one of the runner that the session uses now, as far as the database knows.
SELECT inbox.id, inbox.session_key, inbox.kind, inbox.channel, inbox.platform_id, inbox.body, inbox.accepted_at,
       users.name AS user_name, sessions.title,
       CASE WHEN sessions.cwd_runner IN ('', coalesce(
           nullif(sessions.runner, ''),
           (SELECT a.value FROM user_settings a WHERE a.user_id = sessions.user_id AND a.key = 'active_runner'),
           sessions.cwd_runner)) THEN sessions.cwd ELSE '' END::text AS cwd
FROM inbox
JOIN users ON users.id = inbox.user_id
JOIN sessions ON sessions.key = inbox.session_key
WHERE inbox.turn_id = sqlc.arg(turn_id) AND inbox.claim = sqlc.arg(claim)::int AND inbox.kind IN ('message', 'background', 'control');

-- name: InboxClaimNext :one
-- Gives the oldest waiting message, or end of a task, of a session to a turn and expires the stops that were meant for other turns.
WITH expired AS (
    UPDATE inbox SET outcome = 'stale'
    WHERE inbox.session_key = sqlc.arg(session) AND inbox.kind = 'stop' AND inbox.outcome IS NULL
      AND inbox.target_turn <> sqlc.arg(turn_id)
), taken AS (
    UPDATE inbox SET turn_id = sqlc.arg(turn_id), claim = sqlc.arg(claim), outcome = 'claimed'
    WHERE inbox.id = (
        SELECT i.id FROM inbox i
        WHERE i.session_key = sqlc.arg(session) AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
        ORDER BY i.id
        LIMIT 1
        FOR UPDATE
    )
    RETURNING *
)
SELECT taken.id, taken.session_key, taken.kind, taken.channel, taken.platform_id, taken.body, taken.accepted_at,
       users.name AS user_name, sessions.title,
       CASE WHEN sessions.cwd_runner IN ('', coalesce(
           nullif(sessions.runner, ''),
           (SELECT a.value FROM user_settings a WHERE a.user_id = sessions.user_id AND a.key = 'active_runner'),
           sessions.cwd_runner)) THEN sessions.cwd ELSE '' END::text AS cwd
FROM taken
JOIN users ON users.id = taken.user_id
JOIN sessions ON sessions.key = taken.session_key;

-- name: InboxHasPending :one
SELECT EXISTS (SELECT 1 FROM inbox WHERE session_key = $1 AND kind IN ('message', 'background', 'control') AND outcome IS NULL);

-- name: InboxPending :many
SELECT id, platform_id, channel, body FROM inbox
WHERE session_key = $1 AND kind IN ('message', 'control') AND outcome IS NULL
ORDER BY id;

-- name: InboxStopPending :many
-- Only what people wrote: the end of a task stays, since nobody would tell the model again.
UPDATE inbox SET outcome = 'stopped'
WHERE session_key = $1 AND kind IN ('message', 'control') AND outcome IS NULL
RETURNING id;

-- name: InboxStopFor :one
SELECT EXISTS (
    SELECT 1 FROM inbox
    WHERE session_key = $1 AND kind = 'stop' AND outcome IS NULL AND target_turn = sqlc.arg(turn_id)
);

-- name: InboxRelease :many
UPDATE inbox SET turn_id = NULL, claim = NULL, outcome = NULL, releases = releases + 1, woken_at = now() - interval '1 hour', wakes = 0
WHERE turn_id = sqlc.arg(turn_id) AND kind IN ('message', 'background', 'control')
RETURNING id, kind, platform_id, body;

-- name: InboxReleases :one
SELECT coalesce(max(releases), 0)::int FROM inbox WHERE turn_id = sqlc.arg(turn_id) AND kind IN ('message', 'background', 'control');

-- name: InboxToWake :many
-- Sessions whose rows wait without a live turn to take them, each at most once a back-off (2 s, doubling to 60 s).
WITH due AS (
    SELECT i.id, i.session_key
    FROM inbox i
    WHERE i.outcome IS NULL AND i.kind <> 'command'
      AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))
      AND (i.kind = 'stop' OR NOT EXISTS (
          SELECT 1 FROM turns t WHERE t.session_key = i.session_key AND t.state = 'running'))
    ORDER BY i.woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE inbox SET woken_at = now(), wakes = wakes + 1
FROM due
WHERE inbox.id = due.id
RETURNING inbox.session_key, inbox.id, inbox.user_id, inbox.channel, inbox.body, inbox.kind;

-- name: InboxHeld :many
-- Messages that no turn has claimed for long although they were woken, and whose sender was not told yet.
SELECT id, session_key, body FROM inbox
WHERE outcome IS NULL AND kind IN ('message', 'background', 'control') AND accepted_at < now() - sqlc.arg(older)::interval AND held_told_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = inbox.session_key AND t.state = 'running')
ORDER BY id
LIMIT 20;

-- name: InboxMarkHeld :execrows
UPDATE inbox SET held_told_at = now() WHERE id = $1 AND held_told_at IS NULL;
