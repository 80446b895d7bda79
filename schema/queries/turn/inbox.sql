-- name: InboxInsert :one
-- No row: the id was used before, or max_queued messages of the session wait already. ahead is how many rows wait that
-- are claimed before it; busy is whether a turn of the session runs.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, target_turn, outcome,
                   mode, sender, sent_at, sent_seq, reset, options, not_before, place, files, files_until)
SELECT sqlc.arg(session_key), sqlc.arg(user_id), sqlc.arg(kind), sqlc.arg(channel), sqlc.arg(account), sqlc.arg(platform_id),
       sqlc.arg(body), sqlc.narg(target_turn), sqlc.narg(outcome),
       sqlc.arg(mode), sqlc.arg(sender), least(coalesce(sqlc.narg(sent_at)::timestamptz, now()), now()), sqlc.arg(sent_seq), sqlc.arg(reset), sqlc.arg(options),
       CASE WHEN sqlc.arg(quiet_ms)::int > 0 THEN now() + sqlc.arg(quiet_ms)::int * interval '1 millisecond' END,
       sqlc.narg(place), sqlc.arg(files)::int,
       CASE WHEN sqlc.arg(files_ms)::int > 0 THEN now() + sqlc.arg(files_ms)::int * interval '1 millisecond' END
WHERE sqlc.arg(kind)::text NOT IN ('message', 'control') OR sqlc.arg(max_queued)::int > (
    SELECT count(*) FROM inbox i WHERE i.session_key = sqlc.arg(session_key) AND i.kind IN ('message', 'control') AND i.outcome IS NULL
)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING
RETURNING inbox.id, (
    SELECT count(*) FROM inbox w
    WHERE w.session_key = inbox.session_key AND w.kind IN ('message', 'background', 'control') AND w.outcome IS NULL
      AND (w.sent_at, w.sent_seq, w.id) < (inbox.sent_at, inbox.sent_seq, inbox.id)
)::int AS ahead, EXISTS (
    SELECT FROM turns WHERE turns.session_key = inbox.session_key AND turns.state = 'running'
) AS busy;

-- name: InboxByPlatformID :one
SELECT id, session_key, kind, coalesce(original, body)::text AS accepted, body, options, (outcome IS NOT DISTINCT FROM 'taken')::boolean AS taken FROM inbox
WHERE channel = $1 AND account = $2 AND user_id = $3 AND platform_id = $4;

-- name: InboxClaimed :many
-- What the turn has claimed already. The folder is told only where it is one of the runner that the session uses now, as
-- far as the database knows.
SELECT inbox.id, inbox.kind, inbox.channel, inbox.user_id, inbox.platform_id, inbox.body, inbox.sender, inbox.accepted_at, inbox.reset, inbox.options, inbox.files,
       users.name AS user_name, sessions.title,
       CASE WHEN sessions.cwd_runner IN ('', coalesce(
           nullif(sessions.runner, ''),
           (SELECT a.value FROM user_settings a WHERE a.user_id = sessions.user_id AND a.key = 'active_runner'),
           sessions.cwd_runner)) THEN sessions.cwd ELSE '' END::text AS cwd
FROM inbox
JOIN users ON users.id = inbox.user_id
JOIN sessions ON sessions.key = inbox.session_key
WHERE inbox.turn_id = sqlc.arg(turn_id) AND inbox.claim = sqlc.arg(claim)::int AND inbox.kind IN ('message', 'background', 'control')
ORDER BY inbox.sent_at, inbox.sent_seq, inbox.id;

-- Who is next. Four queries must agree on it: InboxClaimNext gives it to a turn, InboxHasPending says whether a turn that
-- ends has a successor, InboxToWake finds it where nobody was told, InboxSteerWaits gives it to the turn that runs. Next is
-- the row with the least (sent_at, sent_seq, id) of those that wait, and nothing while that one is held (not_before, files_until): what
-- waits behind a burst keeps its place. Nothing of a person who is shut out is next.

-- name: InboxClaimNext :many
-- Gives the next row of a session to a turn; where it belongs to a burst (collect), also those that follow it from the
-- same place and with the same rights. Expires the stops that were meant for other turns. steers says that the row after
-- those is meant for the turn that runs; replaces, that older messages come with the row; amended, that people changed messages
-- of which the model is to be told. timezone is as in ProfileZone, or empty.
WITH expired AS (
    UPDATE inbox SET outcome = 'stale'
    WHERE inbox.session_key = sqlc.arg(session) AND inbox.kind = 'stop' AND inbox.outcome IS NULL
      AND inbox.target_turn <> sqlc.arg(turn_id)
), head AS MATERIALIZED (
    SELECT i.* FROM inbox i
    WHERE i.session_key = sqlc.arg(session) AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
    ORDER BY i.sent_at, i.sent_seq, i.id
    LIMIT 1
    FOR UPDATE
), due AS (
    SELECT head.*, u.role, s.chat_type
    FROM head JOIN users u ON u.id = head.user_id JOIN sessions s ON s.key = head.session_key
    WHERE (head.not_before IS NULL OR head.not_before <= now()) AND (head.files_until IS NULL OR head.files_until <= now()) AND u.disabled_at IS NULL
      AND NOT (head.mode = 'collect' AND EXISTS ( -- files of the same burst are being fetched
          SELECT 1 FROM inbox f WHERE f.session_key = head.session_key AND f.outcome IS NULL AND f.mode = 'collect' AND f.files_until > now()))
), behind AS (
    SELECT i.id, row_number() OVER (ORDER BY i.sent_at, i.sent_seq, i.id) AS place,
           i.kind = 'message' AND i.mode = 'steer' AND i.reset = '' AND (i.files_until IS NULL OR i.files_until <= now()) AS steers,
           due.kind = 'message' AND i.kind = 'message' AND due.mode = 'collect' AND i.mode = 'collect'
               AND i.channel = due.channel AND i.account = due.account AND i.reset = '' AND (i.files_until IS NULL OR i.files_until <= now())
               AND (i.user_id = due.user_id OR due.chat_type <> 'direct' AND u.role = due.role) AS joins
    FROM due
    JOIN inbox i ON i.session_key = due.session_key AND i.id <> due.id
    JOIN users u ON u.id = i.user_id
    WHERE i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
), stays AS (
    SELECT coalesce(min(b.place), 9223372036854775807) AS place FROM behind b WHERE NOT b.joins
), batch AS MATERIALIZED (
    SELECT i.id FROM inbox i
    WHERE i.outcome IS NULL AND (i.id IN (SELECT due.id FROM due) OR i.id IN (SELECT b.id FROM behind b, stays WHERE b.place < stays.place))
    ORDER BY i.sent_at, i.sent_seq, i.id
    FOR UPDATE
), taken AS (
    UPDATE inbox SET turn_id = sqlc.arg(turn_id), claim = sqlc.arg(claim)::int, outcome = 'claimed'
    WHERE inbox.id IN (SELECT batch.id FROM batch)
    RETURNING *
)
SELECT taken.id, taken.kind, taken.channel, taken.account, taken.user_id, taken.platform_id, taken.body, taken.sender, taken.accepted_at, taken.reset, taken.options, taken.files,
       users.name AS user_name, sessions.title,
       CASE WHEN sessions.cwd_runner IN ('', coalesce(
           nullif(sessions.runner, ''),
           (SELECT a.value FROM user_settings a WHERE a.user_id = sessions.user_id AND a.key = 'active_runner'),
           sessions.cwd_runner)) THEN sessions.cwd ELSE '' END::text AS cwd,
       EXISTS (SELECT 1 FROM behind b, stays WHERE b.place = stays.place AND b.steers) AS steers,
       coalesce((SELECT p.timezone FROM user_profiles p JOIN user_admins a ON a.admin_id = p.user_id WHERE a.user_id = taken.user_id), '')::text AS timezone,
       EXISTS (SELECT 1 FROM amended_messages m WHERE m.session_key = taken.session_key AND NOT m.told) AS amended,
       (EXISTS (SELECT 1 FROM inbox r WHERE r.replaced_by = taken.id) OR taken.kind = 'message' AND EXISTS (
           SELECT 1 FROM inbox o WHERE o.session_key = taken.session_key AND o.replaced_by = 0))::boolean AS replaces
FROM taken
JOIN users ON users.id = taken.user_id
JOIN sessions ON sessions.key = taken.session_key
ORDER BY taken.sent_at, taken.sent_seq, taken.id;

-- name: InboxHasPending :one
SELECT coalesce((
    SELECT (i.not_before IS NULL OR i.not_before <= now()) AND (i.files_until IS NULL OR i.files_until <= now())
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = i.user_id AND u.disabled_at IS NOT NULL)
    FROM inbox i
    WHERE i.session_key = $1 AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
    ORDER BY i.sent_at, i.sent_seq, i.id
    LIMIT 1
), false)::boolean;

-- name: InboxPending :many
SELECT id, platform_id, channel, body, mode, sender, options, (throttled_at IS NOT NULL)::boolean AS throttled FROM inbox
WHERE session_key = $1 AND kind IN ('message', 'control') AND outcome IS NULL
ORDER BY sent_at, sent_seq, id;

-- name: InboxStopPending :many
-- Only what people wrote, or one of them, unless writer is 0: the end of a task stays, since nobody would tell the model again. What it had replaced comes into
-- the transcript all the same, with the next message.
WITH waiting AS MATERIALIZED (
    SELECT i.id FROM inbox i
    WHERE i.session_key = sqlc.arg(session_key) AND i.kind IN ('message', 'control') AND i.outcome IS NULL
      AND (i.user_id = sqlc.arg(writer) OR sqlc.arg(writer)::bigint = 0)
    ORDER BY i.sent_at, i.sent_seq, i.id
    FOR UPDATE
), without_heir AS (
    UPDATE inbox SET replaced_by = 0 WHERE inbox.replaced_by IN (SELECT waiting.id FROM waiting)
), stopped AS (
    UPDATE inbox SET outcome = 'stopped'
    WHERE inbox.id IN (SELECT waiting.id FROM waiting)
    RETURNING inbox.id, inbox.sent_at, inbox.sent_seq
)
SELECT stopped.id FROM stopped ORDER BY stopped.sent_at, stopped.sent_seq, stopped.id;

-- name: InboxLeaveForNext :exec
-- A row that begins no turn: it comes into the transcript before the next message that is claimed.
UPDATE inbox SET outcome = 'superseded', replaced_by = 0 WHERE id = $1 AND outcome IS NULL;

-- name: InboxStopFor :one
SELECT EXISTS (
    SELECT 1 FROM inbox
    WHERE session_key = $1 AND kind = 'stop' AND outcome IS NULL AND target_turn = sqlc.arg(turn_id)
);

-- name: InboxStopOrGone :one
-- A turn that is gone has nothing to go on for.
SELECT (EXISTS (
    SELECT 1 FROM inbox i
    WHERE i.session_key = sqlc.arg(session_key) AND i.kind = 'stop' AND i.outcome IS NULL AND i.target_turn = sqlc.arg(turn_id)
) OR NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = sqlc.arg(turn_id)))::boolean;

-- name: InboxRelease :many
UPDATE inbox SET turn_id = NULL, claim = NULL, outcome = NULL, releases = releases + 1, woken_at = now() - interval '1 hour', wakes = 0
WHERE turn_id = sqlc.arg(turn_id) AND kind IN ('message', 'background', 'control')
RETURNING id, kind, platform_id, body, mode, sender, options, (throttled_at IS NOT NULL)::boolean AS throttled;

-- name: InboxReleases :one
SELECT coalesce(max(releases), 0)::int FROM inbox WHERE turn_id = sqlc.arg(turn_id) AND kind IN ('message', 'background', 'control');

-- name: InboxToWake :many
-- Sessions whose rows wait without a live turn to take them, held by no burst, each at most once a back-off (2 s, doubling to 60 s). A live turn is
-- woken for stops and for messages that are meant for it: it reads them only when it is woken, and a kill of the ingress may have lost that wake. It
-- may read such a message and take it hours later, so that the back-off doubles to 10 minutes: each wake adds to the history of the run.
WITH due AS (
    SELECT i.id, i.session_key
    FROM inbox i
    WHERE i.outcome IS NULL AND i.kind <> 'command'
      AND i.woken_at < now() - least(interval '2 seconds' * power(2, least(i.wakes, 9)), CASE WHEN i.kind <> 'stop' AND EXISTS (
          SELECT 1 FROM turns t WHERE t.session_key = i.session_key AND t.state = 'running') THEN interval '10 minutes' ELSE interval '60 seconds' END)
      AND (i.kind = 'stop' OR NOT EXISTS (
          SELECT 1 FROM turns t JOIN sessions s ON s.key = t.session_key JOIN users u ON u.id = i.user_id LEFT JOIN users asks ON asks.id = t.user_id
          WHERE t.session_key = i.session_key AND t.state = 'running'
            AND NOT (i.kind = 'message' AND i.mode = 'steer' AND i.reset = ''
                AND (t.user_id IS NULL OR t.user_id = i.user_id OR s.chat_type <> 'direct' AND u.role = asks.role)
                AND NOT EXISTS (
                    SELECT 1 FROM inbox b WHERE b.session_key = i.session_key AND b.kind IN ('message', 'background', 'control') AND b.outcome IS NULL
                        AND (b.sent_at, b.sent_seq, b.id) < (i.sent_at, i.sent_seq, i.id) AND (b.kind <> 'message' OR b.mode <> 'steer' OR b.reset <> '')))
      ) AND NOT EXISTS (
          SELECT 1 FROM users u WHERE u.id = i.user_id AND u.disabled_at IS NOT NULL
      ) AND NOT EXISTS (
          SELECT 1 FROM inbox h
          WHERE h.session_key = i.session_key AND h.kind IN ('message', 'background', 'control') AND h.outcome IS NULL
            AND (h.not_before > now() OR h.files_until > now()) AND (h.sent_at, h.sent_seq, h.id) <= (i.sent_at, i.sent_seq, i.id)))
      -- who stands in line is woken when a turn is free
      AND (i.kind = 'stop' OR NOT EXISTS (
          SELECT 1 FROM inbox w WHERE w.session_key = i.session_key AND w.outcome IS NULL AND w.throttled_at IS NOT NULL
              AND (w.granted_until IS NULL OR w.granted_until <= now())))
    ORDER BY i.woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE inbox SET woken_at = now(), wakes = wakes + 1
FROM due
WHERE inbox.id = due.id
RETURNING inbox.session_key, inbox.id, inbox.user_id, inbox.channel, inbox.body, inbox.kind;

-- name: InboxHeld :many
-- Messages that no turn has claimed for long although they were woken, and whose sender was not told yet. Where a turn has ended
-- meanwhile the conversation goes on, and what waits is behind others.
SELECT id, session_key, body FROM inbox
WHERE outcome IS NULL AND kind IN ('message', 'background', 'control') AND accepted_at < now() - sqlc.arg(older)::interval AND held_told_at IS NULL
  AND (not_before IS NULL OR not_before <= now()) -- a person has taken the conversation
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = inbox.session_key AND (t.state = 'running' OR t.ended_at > now() - sqlc.arg(older)::interval))
  AND NOT EXISTS (SELECT 1 FROM inbox w WHERE w.session_key = inbox.session_key AND w.outcome IS NULL AND w.throttled_at IS NOT NULL) -- told otherwise
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = inbox.user_id AND u.disabled_at IS NOT NULL)
ORDER BY id
LIMIT 20;

-- name: InboxMarkHeld :execrows
UPDATE inbox SET held_told_at = now() WHERE id = $1 AND held_told_at IS NULL;

-- name: InboxSteerWaits :one
-- Whether the next row is meant for the turn that runs: one whose sender has the rights of who wrote what the turn answers.
SELECT coalesce((
    SELECT i.kind = 'message' AND i.mode = 'steer' AND i.reset = '' AND (i.files_until IS NULL OR i.files_until <= now())
       AND (t.user_id IS NULL OR t.user_id = i.user_id OR s.chat_type <> 'direct' AND u.role = asks.role)
    FROM inbox i
    JOIN users u ON u.id = i.user_id
    JOIN sessions s ON s.key = i.session_key
    JOIN turns t ON t.id = sqlc.arg(turn_id)
    LEFT JOIN users asks ON asks.id = t.user_id
    WHERE i.session_key = sqlc.arg(session) AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
    ORDER BY i.sent_at, i.sent_seq, i.id
    LIMIT 1
), false)::boolean;

-- name: InboxSteer :many
-- Gives a running turn the rows at the head of the queue that are meant for it, up to the first that is not.
WITH waiting AS (
    SELECT i.id, row_number() OVER (ORDER BY i.sent_at, i.sent_seq, i.id) AS place,
           i.kind = 'message' AND i.mode = 'steer' AND i.reset = '' AND (i.files_until IS NULL OR i.files_until <= now())
               AND (t.user_id IS NULL OR t.user_id = i.user_id OR s.chat_type <> 'direct' AND u.role = asks.role) AS steers
    FROM inbox i
    JOIN users u ON u.id = i.user_id
    JOIN sessions s ON s.key = i.session_key
    JOIN turns t ON t.id = sqlc.arg(turn_id)
    LEFT JOIN users asks ON asks.id = t.user_id
    WHERE i.session_key = sqlc.arg(session) AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
), batch AS MATERIALIZED (
    SELECT i.id FROM inbox i
    WHERE i.outcome IS NULL AND i.id IN (
        SELECT w.id FROM waiting w WHERE w.place < coalesce((SELECT min(n.place) FROM waiting n WHERE NOT n.steers), 9223372036854775807)
    )
    ORDER BY i.sent_at, i.sent_seq, i.id
    FOR UPDATE
), taken AS (
    UPDATE inbox SET turn_id = sqlc.arg(turn_id), claim = sqlc.arg(claim)::int, outcome = 'claimed'
    WHERE inbox.id IN (SELECT batch.id FROM batch)
    RETURNING *
)
SELECT taken.id, taken.kind, taken.channel, taken.user_id, taken.platform_id, taken.body, taken.sender, taken.accepted_at, taken.reset, taken.options, taken.files,
       users.name AS user_name, sessions.title,
       CASE WHEN sessions.cwd_runner IN ('', coalesce(
           nullif(sessions.runner, ''),
           (SELECT a.value FROM user_settings a WHERE a.user_id = sessions.user_id AND a.key = 'active_runner'),
           sessions.cwd_runner)) THEN sessions.cwd ELSE '' END::text AS cwd,
       coalesce((SELECT p.timezone FROM user_profiles p JOIN user_admins a ON a.admin_id = p.user_id WHERE a.user_id = taken.user_id), '')::text AS timezone,
       EXISTS (SELECT 1 FROM amended_messages m WHERE m.session_key = taken.session_key AND NOT m.told) AS amended,
       (EXISTS (SELECT 1 FROM inbox r WHERE r.replaced_by = taken.id) OR taken.kind = 'message' AND EXISTS (
           SELECT 1 FROM inbox o WHERE o.session_key = taken.session_key AND o.replaced_by = 0))::boolean AS replaces
FROM taken
JOIN users ON users.id = taken.user_id
JOIN sessions ON sessions.key = taken.session_key
ORDER BY taken.sent_at, taken.sent_seq, taken.id;

-- name: InboxDropDisabled :many
-- Messages of people who are shut out that wait in conversations of others.
WITH gone AS MATERIALIZED (
    SELECT i.id FROM inbox i JOIN users u ON u.id = i.user_id JOIN sessions s ON s.key = i.session_key
    WHERE i.outcome IS NULL AND i.kind IN ('message', 'background', 'control') AND u.disabled_at IS NOT NULL AND s.user_id <> i.user_id
    ORDER BY i.session_key, i.sent_at, i.sent_seq, i.id
    LIMIT 100
    FOR UPDATE OF i SKIP LOCKED
)
UPDATE inbox SET outcome = 'recalled' WHERE inbox.id IN (SELECT gone.id FROM gone) AND inbox.outcome IS NULL
RETURNING inbox.id, inbox.session_key, inbox.channel, inbox.body;

-- name: InboxMayStop :one
-- Whether a person wrote something that the running turn answers; where none runs, something that waits, unless nothing does.
SELECT (EXISTS (
        SELECT 1 FROM inbox i JOIN turns t ON t.id = i.turn_id
        WHERE t.session_key = sqlc.arg(session_key) AND t.state = 'running' AND i.user_id = sqlc.arg(user_id))
    OR NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = sqlc.arg(session_key) AND t.state = 'running') AND (
        EXISTS (
            SELECT 1 FROM inbox i
            WHERE i.session_key = sqlc.arg(session_key) AND i.user_id = sqlc.arg(user_id) AND i.kind IN ('message', 'control') AND i.outcome IS NULL)
        OR NOT EXISTS (
            SELECT 1 FROM inbox i WHERE i.session_key = sqlc.arg(session_key) AND i.kind IN ('message', 'control') AND i.outcome IS NULL)))::boolean;

-- name: InboxOthersWrote :one
-- Whether another user wrote to the bot in a conversation, on a platform.
SELECT EXISTS (
    SELECT 1 FROM inbox WHERE session_key = sqlc.arg(session_key) AND place IS NOT NULL AND user_id <> sqlc.arg(user_id) AND kind IN ('message', 'control')
);
