-- name: ShareHold :one
-- Holds a conversation against everybody who writes to it or shares it, until the end of the transaction.
SELECT key FROM sessions WHERE key = $1 FOR UPDATE;

-- name: SharePrune :exec
DELETE FROM shares WHERE session_key = $1 AND expires_at <= now();

-- name: ShareAdd :one
-- Shows the conversation as it is now. No row: there are as many links as there may be.
INSERT INTO shares (session_key, token_hash, title, message_upto, control_upto, expires_at)
SELECT s.key, sqlc.arg(token_hash), s.title,
       coalesce((SELECT max(m.id) FROM messages m WHERE m.session_key = s.key), 0),
       coalesce((SELECT max(c.id) FROM controls c WHERE c.session_key = s.key), 0),
       now() + sqlc.arg(days)::int * interval '1 day'
FROM sessions s
WHERE s.key = sqlc.arg(session_key) AND (SELECT count(*) FROM shares h WHERE h.session_key = s.key) < sqlc.arg(most)::int
RETURNING id, message_upto, made_at, expires_at;

-- name: ShareList :many
-- The newest first.
SELECT id, message_upto, made_at, expires_at FROM shares WHERE session_key = $1 AND expires_at > now() ORDER BY id DESC;

-- name: ShareDelete :execrows
DELETE FROM shares WHERE session_key = $1 AND id = $2 AND expires_at > now();

-- name: ShareOpen :one
-- What a link shows, while it is good and its person is not shut out.
SELECT h.session_key, h.title, h.message_upto, h.control_upto, h.made_at, h.expires_at
FROM shares h JOIN sessions s ON s.key = h.session_key JOIN users u ON u.id = s.user_id
WHERE h.token_hash = $1 AND h.expires_at > now() AND u.disabled_at IS NULL;

-- name: ShareMessages :many
-- The newest of what people wrote and were answered, ascending, as it stood when a control record was the newest. Older ones are left out
-- once those behind them have so many bytes; found counts them, too.
SELECT id, role, sender, text, pictures, created_at, found FROM (
    SELECT m.*, sum(octet_length(m.text)) OVER (ORDER BY m.id DESC) - octet_length(m.text) AS behind, count(*) OVER () AS found
    FROM (
        SELECT id, role, sender, coalesce(shown, content)::text AS text, pictures, created_at FROM messages
        WHERE session_key = sqlc.arg(session_key) AND id <= sqlc.arg(message_upto)
          AND (rewound_by IS NULL OR rewound_by > sqlc.arg(control_upto)::bigint) AND NOT spells @> sqlc.arg(control_upto)::bigint
          AND role IN ('user', 'assistant') AND origin = '' AND NOT display_only AND NOT silent AND deliver
        ORDER BY id DESC
        LIMIT sqlc.arg(n)
    ) m
) l
WHERE behind < sqlc.arg(bytes)::bigint
ORDER BY id;

-- name: ShareTools :many
-- The names of the tools that answers used, and nothing else of the calls.
SELECT message_id, name FROM tool_calls WHERE message_id = ANY(sqlc.arg(ids)::bigint[]) ORDER BY message_id, n;
