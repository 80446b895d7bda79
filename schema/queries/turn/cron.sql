-- name: CronPlace :one
-- Where the newest message of a conversation came from, for what is said there next.
SELECT i.channel, i.account, i.place FROM inbox i
WHERE i.session_key = $1 AND i.place IS NOT NULL AND i.kind <> 'background'
ORDER BY i.id DESC
LIMIT 1;
