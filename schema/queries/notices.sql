-- name: NoticeSession :exec
-- The conversation of what the server tells its operator, in the archive of the first administrator. Its row is locked.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, agent, chat_type, scene, origin, shelf)
VALUES (sqlc.arg(key), sqlc.arg(user_id), sqlc.arg(channel), sqlc.arg(title), '', '', sqlc.arg(agent), 'direct', '', sqlc.arg(origin), 'archived')
ON CONFLICT (key) DO UPDATE SET user_id = EXCLUDED.user_id;

-- name: NoticeTold :one
SELECT EXISTS (SELECT 1 FROM messages WHERE session_key = sqlc.arg(session_key) AND client_message_id = sqlc.arg(key)::text)::boolean;

-- name: NoticeSupersede :exec
-- What certainly was not sent is not sent beside what is newer.
UPDATE outbound SET state = 'expired', error = 'there is newer news', ended_at = now()
WHERE session_key = $1 AND state = 'waiting' AND NOT coalesce(jsonb_path_exists(parts, '$[*].state'), false);

-- name: NoticeSend :execrows
-- No row: there is no such bot.
INSERT INTO outbound (session_key, channel, account, place, message_id)
SELECT sqlc.arg(session_key), a.channel, a.account, sqlc.arg(place), sqlc.arg(message_id)::bigint
FROM channel_accounts a WHERE a.channel = sqlc.arg(channel) AND a.account = sqlc.arg(account);
