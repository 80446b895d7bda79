-- name: ActiveTools :one
-- The optional tools that a conversation has used last, the newest first: unused bounds how many messages of people may have come since,
-- unless it is 0. Beside them all that it has used, and the parts of its system prompt that say something: a tool may be there only with one.
SELECT ARRAY(
    SELECT a.name FROM active_tools a
    WHERE a.session_key = sqlc.arg(session_key)
      AND (sqlc.arg(unused)::int = 0 OR sqlc.arg(unused)::int >= (
          SELECT count(*) FROM (
              SELECT 1 FROM messages m
              WHERE m.session_key = a.session_key AND m.id > a.message_id AND m.role = 'user' AND NOT m.display_only
              LIMIT sqlc.arg(unused)::int + 1
          ) since))
    ORDER BY a.message_id DESC, a.name
    LIMIT sqlc.arg(most)::int
)::text[] AS recent,
ARRAY(SELECT a.name FROM active_tools a WHERE a.session_key = sqlc.arg(session_key))::text[] AS used,
ARRAY(SELECT p.key FROM session_parts p WHERE p.session_key = sqlc.arg(session_key) AND p.body <> '')::text[] AS parts;

-- name: ActiveToolsUse :exec
INSERT INTO active_tools (session_key, name, message_id)
SELECT sqlc.arg(session_key), unnest(sqlc.arg(names)::text[]), coalesce((SELECT max(id) FROM messages WHERE session_key = sqlc.arg(session_key)), 0)
ON CONFLICT (session_key, name) DO UPDATE SET message_id = greatest(active_tools.message_id, excluded.message_id);

-- name: ActiveToolsReset :exec
DELETE FROM active_tools WHERE session_key = $1;
