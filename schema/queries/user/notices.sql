-- name: NoticeSession :exec
-- The conversation of what the server tells its operator, in the archive of the first administrator. Its row is locked.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, agent, chat_type, scene, origin, shelf)
VALUES (sqlc.arg(key), sqlc.arg(user_id), sqlc.arg(channel), sqlc.arg(title), '', '', sqlc.arg(agent), 'direct', '', sqlc.arg(origin), 'archived')
ON CONFLICT (key) DO UPDATE SET user_id = EXCLUDED.user_id;

-- name: NoticeTold :one
SELECT EXISTS (SELECT 1 FROM messages WHERE session_key = sqlc.arg(session_key) AND client_message_id = sqlc.arg(key)::text)::boolean;

-- name: NoticeSupersede :exec
-- What certainly was not sent is not sent beside what is newer, but for what is said once.
UPDATE outbound SET state = 'expired', error = 'there is newer news', ended_at = now()
WHERE outbound.session_key = $1 AND outbound.state = 'waiting' AND NOT coalesce(jsonb_path_exists(parts, '$[*].state'), false)
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = outbound.message_id AND m.client_message_id LIKE 'once-%');

-- name: NoticeSend :execrows
-- No row: there is no such bot. What the conversation would send elsewhere goes there.
INSERT INTO outbound (session_key, channel, account, place, message_id)
SELECT sqlc.arg(session_key), a.channel, a.account, sqlc.arg(place), sqlc.arg(message_id)::bigint
FROM channel_accounts a WHERE a.channel = sqlc.arg(channel) AND a.account = sqlc.arg(account)
ON CONFLICT (message_id) DO UPDATE SET channel = EXCLUDED.channel, account = EXCLUDED.account, place = EXCLUDED.place;

-- name: TurnNotices :one
-- What a person wants to be told. One whose identity is not theirs any more is none.
SELECT n.* FROM turn_notices n
JOIN identities i ON i.kind = 'person' AND i.channel = n.channel AND i.account = n.account AND i.peer = n.peer AND i.user_id = n.user_id
WHERE n.user_id = $1;

-- name: TurnNoticesSet :execrows
-- No row: they are not known by this identity, or no bot could tell them.
INSERT INTO turn_notices (user_id, channel, account, peer, after_seconds)
SELECT i.user_id, i.channel, i.account, i.peer, sqlc.arg(after_seconds)
FROM identities i JOIN channel_accounts a ON a.channel = i.channel AND a.account = i.account
WHERE i.kind = 'person' AND i.user_id = sqlc.arg(user_id) AND i.channel = sqlc.arg(channel) AND i.account = sqlc.arg(account) AND i.peer = sqlc.arg(peer)
ON CONFLICT (user_id) DO UPDATE SET channel = EXCLUDED.channel, account = EXCLUDED.account, peer = EXCLUDED.peer, after_seconds = EXCLUDED.after_seconds;

-- name: TurnNoticesClear :exec
DELETE FROM turn_notices WHERE user_id = $1;

-- name: TurnNoticeChats :many
-- The identities of a user that a bot can reach.
SELECT i.channel, i.account, i.peer FROM identities i JOIN channel_accounts a ON a.channel = i.channel AND a.account = i.account
WHERE i.kind = 'person' AND i.user_id = $1 ORDER BY i.channel, i.account, i.peer;

-- name: NoticeOfTurn :one
-- What is told of a turn, and where. No row: nobody wants to be told of it. It was begun by the person of the conversation where they get no
-- answer by a bot, has taken long enough, and they have written to the bot in a conversation of theirs.
SELECT s.user_id, s.title, d.session_key, d.place, n.channel, n.account,
    extract(epoch FROM coalesce(t.ended_at, now()) - t.started_at)::bigint AS seconds,
    coalesce((SELECT left(coalesce(m.shown, m.content), 4000) FROM messages m
        WHERE m.turn_id = t.id AND m.role = 'assistant' AND NOT m.silent ORDER BY m.id DESC LIMIT 1), '')::text AS answer
FROM turns t
JOIN sessions s ON s.key = t.session_key
JOIN users u ON u.id = s.user_id AND u.kind = 'person' AND u.disabled_at IS NULL
JOIN turn_notices n ON n.user_id = u.id
JOIN identities i ON i.kind = 'person' AND i.channel = n.channel AND i.account = n.account AND i.peer = n.peer AND i.user_id = n.user_id
CROSS JOIN LATERAL (
    SELECT b.session_key, b.place FROM sessions p
    CROSS JOIN LATERAL (
        SELECT r.id, r.session_key, r.place FROM inbox r
        WHERE r.session_key = p.key AND r.place IS NOT NULL AND r.kind <> 'background' AND r.channel = n.channel AND r.account = n.account
          AND r.place ->> 'chat_type' = 'direct' AND r.place ->> 'peer' = n.peer
        ORDER BY r.id DESC LIMIT 1
    ) b
    WHERE p.user_id = u.id AND p.key <> t.session_key
    ORDER BY b.id DESC LIMIT 1
) d
WHERE t.id = $1 AND coalesce(t.ended_at, now()) - t.started_at >= make_interval(secs => n.after_seconds)
  AND EXISTS (SELECT 1 FROM inbox o WHERE o.turn_id = t.id AND o.kind = 'message' AND o.user_id = s.user_id AND o.place IS NULL)
  AND NOT EXISTS (SELECT 1 FROM inbox o WHERE o.turn_id = t.id AND o.kind <> 'background' AND o.place IS NOT NULL);

-- name: ToldOnce :execrows
-- Returns one row if the sentence is due, none if it was sent less than a day ago for another message or is never repeated.
INSERT INTO told_once AS t (topic, channel, account, about, what, asked, told_at)
VALUES (sqlc.arg(topic), sqlc.arg(channel), sqlc.arg(account), sqlc.arg(about), sqlc.arg(what), sqlc.arg(asked),
        CASE WHEN sqlc.arg(never_repeated)::boolean THEN 'infinity' ELSE now() END)
ON CONFLICT (topic, channel, account, about) DO UPDATE SET what = EXCLUDED.what, asked = EXCLUDED.asked, told_at = EXCLUDED.told_at
WHERE t.what <> EXCLUDED.what OR t.asked <> '' AND t.asked = EXCLUDED.asked OR t.told_at <= now() - interval '1 day';

-- name: ToldLock :exec
-- Sayings of a topic that are bounded in number are noted one after another.
SELECT pg_advisory_xact_lock(hashtextextended('told ' || sqlc.arg(topic)::text || ' ' || sqlc.arg(channel)::text || ' ' || sqlc.arg(account)::text, 0));

-- name: ToldOthers :one
-- The number of other subjects of which a notice of a topic was sent within a day.
SELECT count(*)::int FROM told_once
WHERE topic = sqlc.arg(topic) AND channel = sqlc.arg(channel) AND account = sqlc.arg(account) AND about <> sqlc.arg(about) AND told_at > now() - interval '1 day';

-- name: ToldOncePrune :exec
DELETE FROM told_once WHERE told_at < now() - interval '2 days';

-- name: NoticeAsker :one
-- Who wrote a message, and in which conversation. No row: the conversation is gone.
SELECT session_key, user_id, body FROM inbox WHERE id = $1;

-- name: NoticeAdministrator :one
-- Whose archive holds notices: the first administrator. No row: there is none yet.
SELECT id FROM users WHERE role = 'admin' AND kind = 'person' AND disabled_at IS NULL ORDER BY id LIMIT 1;

-- name: NoticePlace :one
-- Where an administrator last wrote to a bot that can answer, alone. No row: none of them did.
SELECT u.id, b.session_key, b.place, b.channel, b.account FROM users u
JOIN identities i ON i.kind = 'person' AND i.user_id = u.id
JOIN channel_accounts a ON a.channel = i.channel AND a.account = i.account
JOIN sessions p ON p.user_id = u.id
CROSS JOIN LATERAL (
    SELECT r.id, r.session_key, r.place, r.channel, r.account FROM inbox r
    WHERE r.session_key = p.key AND r.place IS NOT NULL AND r.kind <> 'background' AND r.channel = i.channel AND r.account = i.account
      AND r.place ->> 'chat_type' = 'direct' AND r.place ->> 'peer' = i.peer
    ORDER BY r.id DESC LIMIT 1
) b
WHERE u.role = 'admin' AND u.kind = 'person' AND u.disabled_at IS NULL
ORDER BY b.id DESC LIMIT 1;
