-- name: ActiveTools :one
-- The optional tools that a conversation has used, the last used first, each with the newest message at that time, and the parts of its
-- system prompt that are not empty: some tools need one.
SELECT ARRAY(SELECT a.name FROM active_tools a WHERE a.session_key = sqlc.arg(session_key) ORDER BY a.message_id DESC, a.name)::text[] AS used,
ARRAY(SELECT a.message_id FROM active_tools a WHERE a.session_key = sqlc.arg(session_key) ORDER BY a.message_id DESC, a.name)::bigint[] AS messages,
ARRAY(SELECT p.key FROM session_parts p WHERE p.session_key = sqlc.arg(session_key) AND p.body <> '')::text[] AS parts;

-- name: ActiveToolsSince :one
-- The id of a message of a person that is followed by this many others; 0 if there are fewer.
SELECT coalesce((
    SELECT m.id FROM messages m
    WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND NOT m.display_only
    ORDER BY m.id DESC OFFSET sqlc.arg(others)::int LIMIT 1
), 0)::bigint AS id;

-- name: ActiveToolsUse :exec
INSERT INTO active_tools (session_key, name, message_id)
SELECT sqlc.arg(session_key), unnest(sqlc.arg(names)::text[]), coalesce((SELECT max(id) FROM messages WHERE session_key = sqlc.arg(session_key)), 0)
ON CONFLICT (session_key, name) DO UPDATE SET message_id = greatest(active_tools.message_id, excluded.message_id);

-- name: ActiveToolsReset :exec
DELETE FROM active_tools WHERE session_key = $1;
