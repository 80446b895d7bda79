-- name: MessageNewestIn :one
-- The newest message of a person in the chat of a delivery, by the platform's id.
SELECT coalesce(i.place ->> 'reply_to', '')::text AS id
FROM outbound o JOIN inbox i ON i.session_key = o.session_key AND i.channel = o.channel AND i.account = o.account
WHERE o.id = $1 AND i.place IS NOT NULL AND i.place ->> 'chat_type' = o.place ->> 'chat_type'
  AND coalesce(i.place ->> 'chat', '') = coalesce(o.place ->> 'chat', '')
  AND (o.place ->> 'chat_type' <> 'direct' OR i.place ->> 'peer' = o.place ->> 'peer')
ORDER BY i.id DESC
LIMIT 1;
