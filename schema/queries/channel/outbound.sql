-- name: OutboundNext :one
-- What is sent next in a session, with its first words.
SELECT o.id, o.kind, o.channel, o.account, left(coalesce(m.shown, m.content, concat_ws(' · ', c.name, nullif(c.summary, ''))), 400)::text AS words
FROM outbound o LEFT JOIN messages m ON m.id = o.message_id LEFT JOIN tool_calls c ON c.id = o.call_id
WHERE o.session_key = $1 AND o.state = 'waiting'
ORDER BY o.id
LIMIT 1;

-- name: OutboundGet :one
SELECT sqlc.embed(o), coalesce(m.shown, m.content, o.card::text, '')::text AS body, coalesce(m.role = 'assistant', false)::boolean AS answer, (
    SELECT coalesce(sum(jsonb_array_length(e.parts)), 0) FROM outbound e
    WHERE e.session_key = o.session_key AND e.id < o.id AND e.place ->> 'reply_to' = o.place ->> 'reply_to'
)::int AS before
FROM outbound o LEFT JOIN messages m ON m.id = o.message_id
WHERE o.id = $1;

-- name: OutboundTry :execrows
-- Notes what is known of the pieces before one is handed to the platform, and after. No row: it has ended, or somebody else has
-- handed a piece over since it was read.
UPDATE outbound SET parts = sqlc.arg(parts), tries = tries + sqlc.arg(tried)::int, tried_at = CASE WHEN sqlc.arg(tried)::int > 0 THEN now() ELSE tried_at END
WHERE id = sqlc.arg(id) AND state = 'waiting' AND tries = sqlc.arg(tries)::int;

-- name: OutboundFailing :exec
UPDATE outbound SET error = $2 WHERE id = $1 AND state = 'waiting';

-- name: OutboundEnd :one
UPDATE outbound SET state = sqlc.arg(state), error = sqlc.arg(error), ended_at = now()
WHERE outbound.id = sqlc.arg(id) AND outbound.state = 'waiting'
RETURNING session_key, turn_id, kind, coalesce((SELECT m.role FROM messages m WHERE m.id = outbound.message_id) = 'assistant', false)::boolean AS answer,
    (tells_of IS NULL AND coalesce((SELECT m.role FROM messages m WHERE m.id = outbound.message_id) = 'notice', false))::boolean AS notice;

-- name: OutboundSaysAlready :one
-- Whether a notice with this text waits to be sent in the session.
SELECT EXISTS (
    SELECT FROM outbound o JOIN messages m ON m.id = o.message_id
    WHERE o.session_key = sqlc.arg(session_key) AND o.state = 'waiting' AND m.role = 'notice' AND m.content = sqlc.arg(text)
);

-- name: OutboundTellsOf :exec
UPDATE outbound SET tells_of = sqlc.arg(delivery) WHERE message_id = sqlc.arg(message_id);

-- name: OutboundToWake :many
-- Sessions with deliveries whose workflow was not woken; the next wake is a minute later.
UPDATE outbound SET woken_at = now() + interval '1 minute'
WHERE id IN (
    SELECT w.id FROM outbound w WHERE w.state = 'waiting' AND w.woken_at < now() - interval '2 seconds'
    ORDER BY w.woken_at LIMIT 100 FOR UPDATE SKIP LOCKED
)
RETURNING session_key, channel;
