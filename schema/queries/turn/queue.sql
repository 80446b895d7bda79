-- name: QueueLock :exec
-- One message after another decides what becomes of the queue of a session.
SELECT pg_advisory_xact_lock(hashtextextended('queue ' || sqlc.arg(session)::text, 0));

-- name: QueueLockRows :exec
-- Nobody changes what waits in a session because of a message that comes, and no such message comes, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('queue rows ' || sqlc.arg(session)::text, 0));

-- name: QueueLockAll :exec
-- QueueLockRows, and behind it QueueLock: for a message that changes what waits. A deletion locks rows and then the session;
-- a message, its session and then rows. So whoever waits for either holds nothing of the other yet.
SELECT pg_advisory_xact_lock(hashtextextended('queue rows ' || sqlc.arg(session)::text, 0)),
       pg_advisory_xact_lock(hashtextextended('queue ' || sqlc.arg(session)::text, 0));

-- name: QueueGather :one
-- A message of a burst (collect) holds all that wait to be collected until nobody has written for the quiet window, but
-- for at most the given time from the first message of the burst on. Answers how long that is. What waits since an
-- earlier burst, because a turn runs, is held again: else the end of that turn would cut this one.
WITH burst AS MATERIALIZED (
    SELECT i.id, i.accepted_at, i.not_before FROM inbox i
    WHERE i.session_key = sqlc.arg(session) AND i.kind = 'message' AND i.mode = 'collect' AND i.outcome IS NULL
    ORDER BY i.sent_at, i.sent_seq, i.id
    FOR UPDATE
), until AS (
    SELECT least(now() + sqlc.arg(quiet_ms)::int * interval '1 millisecond', min(burst.accepted_at) FILTER (WHERE burst.not_before > now()) + sqlc.arg(longest_ms)::int * interval '1 millisecond') AS at
    FROM burst
), held AS (
    UPDATE inbox SET not_before = until.at FROM until WHERE inbox.id IN (SELECT burst.id FROM burst)
)
SELECT greatest(0, ceil(extract(epoch FROM until.at - now()) * 1000))::int AS wait_ms FROM until;

-- name: QueueReplace :many
-- Lets a message take the place of all messages that wait before it, and of what they had replaced. was says which of
-- them had waited.
WITH newer AS (
    SELECT n.id, n.session_key, n.sent_at, n.sent_seq FROM inbox n WHERE n.id = sqlc.arg(id)
), older AS MATERIALIZED (
    SELECT i.id FROM inbox i, newer
    WHERE i.session_key = newer.session_key AND i.kind = 'message' AND i.outcome IS NULL
      AND (i.sent_at, i.sent_seq, i.id) < (newer.sent_at, newer.sent_seq, newer.id)
    ORDER BY i.sent_at, i.sent_seq, i.id
    FOR UPDATE OF i
), before AS (
    SELECT r.id FROM inbox r WHERE r.replaced_by IN (SELECT older.id FROM older)
)
UPDATE inbox SET outcome = coalesce(inbox.outcome, 'superseded'), replaced_by = sqlc.arg(id)
WHERE inbox.id IN (SELECT older.id FROM older UNION SELECT before.id FROM before)
RETURNING inbox.id, inbox.body, inbox.id IN (SELECT older.id FROM older) ::boolean AS was;

-- name: QueueReplacedBy :one
-- The newest message that waits after the given one and takes the place of what waits before it.
SELECT i.id FROM inbox i, inbox late
WHERE late.id = sqlc.arg(id) AND i.session_key = late.session_key AND i.kind = 'message' AND i.outcome IS NULL
  AND i.mode IN ('interrupt', 'supersede') AND (i.sent_at, i.sent_seq, i.id) > (late.sent_at, late.sent_seq, late.id)
ORDER BY i.sent_at DESC, i.sent_seq DESC, i.id DESC
LIMIT 1;

-- name: QueueDrop :many
-- Drops the oldest messages of a queue that exceeds its cap, but not the given one.
WITH excess AS (
    SELECT greatest(0, count(*) - sqlc.arg(cap)::int) AS n FROM inbox c
    WHERE c.session_key = sqlc.arg(session) AND c.kind IN ('message', 'control') AND c.outcome IS NULL
), oldest AS MATERIALIZED (
    SELECT i.id FROM inbox i
    WHERE i.session_key = sqlc.arg(session) AND i.kind = 'message' AND i.outcome IS NULL AND i.id <> sqlc.arg(id)
    ORDER BY i.sent_at, i.sent_seq, i.id
    LIMIT (SELECT excess.n FROM excess)
    FOR UPDATE
)
UPDATE inbox SET outcome = sqlc.arg(outcome)::text
WHERE inbox.id IN (SELECT oldest.id FROM oldest)
RETURNING inbox.id, inbox.body;

-- name: QueueEnd :one
-- Ends a message that waits. No row: it waits no more.
UPDATE inbox SET outcome = sqlc.arg(outcome)::text
WHERE inbox.id = sqlc.arg(id) AND inbox.kind IN ('message', 'control') AND inbox.outcome IS NULL
RETURNING inbox.session_key, inbox.body;

-- name: QueueDisown :exec
-- What a message that ended had replaced comes into the transcript with the next message that is claimed; itself says
-- that the message comes as well. No heir is chosen here: a turn might be claiming it.
UPDATE inbox SET replaced_by = 0
WHERE inbox.replaced_by = sqlc.arg(id) OR inbox.id = sqlc.arg(id)::bigint AND sqlc.arg(itself)::boolean;

-- name: QueueAdopt :exec
-- A message that is claimed brings what has no other one to come with.
UPDATE inbox SET replaced_by = sqlc.arg(id)::bigint WHERE session_key = sqlc.arg(session) AND replaced_by = 0;

-- name: QueueCount :one
SELECT count(*)::int FROM inbox WHERE session_key = $1 AND kind IN ('message', 'control') AND outcome IS NULL;

-- name: QueueReplaced :many
-- What comes into the transcript with a message that is claimed.
SELECT id, kind, account, outcome::text AS outcome, body, sender, channel, platform_id, accepted_at, files FROM inbox
WHERE replaced_by = sqlc.arg(id)::bigint
ORDER BY sent_at, sent_seq, id;

-- name: QueueEdit :one
-- Changes a message that waits. No row: it waits no more.
UPDATE inbox SET original = coalesce(inbox.original, inbox.body), body = sqlc.arg(body)
WHERE inbox.id = sqlc.arg(id) AND inbox.kind = 'message' AND inbox.outcome IS NULL
RETURNING inbox.session_key, inbox.platform_id, inbox.body, inbox.mode, inbox.sender, (inbox.throttled_at IS NOT NULL)::boolean AS throttled;

-- name: QueueFind :one
SELECT id, session_key, kind, outcome FROM inbox WHERE id = $1 AND session_key = $2;

-- name: QueueInterrupted :one
-- Whether only newer messages stop a turn, and no user requested it.
SELECT coalesce(bool_and(mode = 'interrupt'), false)::boolean FROM inbox
WHERE session_key = $1 AND kind = 'stop' AND target_turn = sqlc.arg(turn_id) AND outcome IS NULL;

-- name: SessionSetQueue :execrows
UPDATE sessions SET queue = $2 WHERE key = $1;

-- name: SessionLastInteraction :one
SELECT last_interaction_at FROM sessions WHERE key = $1;

-- name: StopAnswered :one
-- Whether the answer to a written stop of a turn is read in the place that the turn answers to.
SELECT EXISTS (
    SELECT 1 FROM inbox i
    JOIN messages m ON m.inbox_id = i.id AND m.role = 'notice'
    JOIN outbound o ON o.message_id = m.id
    JOIN inbox t ON t.id = (SELECT max(n.id) FROM inbox n WHERE n.turn_id = sqlc.arg(turn_id) AND n.place IS NOT NULL)
    WHERE i.session_key = $1 AND i.kind = 'stop' AND i.target_turn = sqlc.arg(turn_id) AND o.channel = t.channel AND o.account = t.account
      AND (o.place ->> 'chat_type', coalesce(o.place ->> 'chat', ''), coalesce(o.place ->> 'thread', ''), coalesce(o.place ->> 'in_thread', ''))
        = (t.place ->> 'chat_type', coalesce(t.place ->> 'chat', ''), coalesce(t.place ->> 'thread', ''), coalesce(t.place ->> 'in_thread', ''))
      AND (t.place ->> 'chat_type' <> 'direct' OR o.place ->> 'peer' IS NOT DISTINCT FROM t.place ->> 'peer'));

-- name: RefusalLock :exec
-- Messages of a person that find the queue of a conversation full are refused one after another.
SELECT pg_advisory_xact_lock(hashtextextended('refusals ' || sqlc.arg(session_key)::text || ' ' || sqlc.arg(user_id)::bigint, 0));

-- name: RefusalNext :one
-- Notes that a message found no room. say: the person is to be told, for the last time in a while if last; else it is only counted. unsaid:
-- how many were only counted since the while before.
WITH before AS (
    SELECT r.said_at > now() - sqlc.arg(pause)::interval AS recent, r.said, r.unsaid
    FROM refusals r WHERE r.session_key = sqlc.arg(session_key) AND r.user_id = sqlc.arg(user_id)
), noted AS (
    INSERT INTO refusals AS r (session_key, user_id) VALUES (sqlc.arg(session_key), sqlc.arg(user_id))
    ON CONFLICT (session_key, user_id) DO UPDATE SET
        said = CASE WHEN r.said_at > now() - sqlc.arg(pause)::interval THEN least(r.said + 1, sqlc.arg(most)::int) ELSE 1 END,
        unsaid = CASE WHEN r.said_at > now() - sqlc.arg(pause)::interval THEN r.unsaid + (r.said >= sqlc.arg(most)::int)::int ELSE 0 END,
        said_at = CASE WHEN r.said_at > now() - sqlc.arg(pause)::interval THEN r.said_at ELSE now() END
)
SELECT (NOT coalesce((SELECT recent AND said >= sqlc.arg(most)::int FROM before), false))::boolean AS say,
       coalesce((SELECT recent AND said = sqlc.arg(most)::int - 1 FROM before), false)::boolean AS last,
       coalesce((SELECT unsaid FROM before WHERE NOT recent), 0)::int AS unsaid;
