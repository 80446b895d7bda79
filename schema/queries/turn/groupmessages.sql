-- name: OverheardAdd :execrows
-- No row: it is known, or it was accepted as a message of the session, by whichever account.
INSERT INTO overheard (session_key, channel, account, platform_id, sender, body, sent_at)
SELECT sqlc.arg(session_key)::text, sqlc.arg(channel)::text, sqlc.arg(account)::text, sqlc.arg(platform_id)::text,
       sqlc.arg(sender)::text, sqlc.arg(body)::text, sqlc.arg(sent_at)::timestamptz
WHERE NOT EXISTS (
    SELECT 1 FROM inbox i
    WHERE i.session_key = sqlc.arg(session_key)::text AND i.channel = sqlc.arg(channel)::text AND i.platform_id = sqlc.arg(platform_id)::text
)
ON CONFLICT (channel, account, session_key, platform_id) DO NOTHING;

-- name: OverheardKnown :one
SELECT EXISTS (
    SELECT 1 FROM overheard WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4
);

-- name: OverheardEdit :execrows
UPDATE overheard SET body = $5 WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4 AND NOT taken;

-- name: OverheardRecall :execrows
UPDATE overheard SET body = '', sender = '', taken = true
WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4 AND NOT taken;

-- name: OverheardTrim :exec
-- Keeps the newest of a session.
UPDATE overheard SET taken = true, body = '', sender = ''
WHERE overheard.session_key = $1 AND NOT overheard.taken AND overheard.id NOT IN (
    SELECT o.id FROM overheard o WHERE o.session_key = $1 AND NOT o.taken ORDER BY o.sent_at DESC, o.id DESC LIMIT sqlc.arg(keep)
);

-- name: OverheardForget :exec
DELETE FROM overheard WHERE session_key = $1 AND taken AND sent_at < now() - interval '30 days';

-- name: OverheardTake :many
-- What was said before a message. What was accepted as a message of the session meanwhile is left out.
WITH due AS (
    SELECT o.id, o.sender, o.body, o.sent_at, EXISTS (
        SELECT 1 FROM inbox i WHERE i.session_key = o.session_key AND i.channel = o.channel AND i.platform_id = o.platform_id
    ) AS accepted
    FROM overheard o
    WHERE o.session_key = $1 AND NOT o.taken AND o.sent_at <= (SELECT m.sent_at FROM inbox m WHERE m.id = sqlc.arg(before))
    FOR UPDATE
), taken AS (
    UPDATE overheard SET taken = true, body = '', sender = '' FROM due WHERE overheard.id = due.id
)
SELECT due.sender, due.body FROM due WHERE NOT due.accepted ORDER BY due.sent_at, due.id;
