-- name: ActiveTools :many
-- The optional tools that a conversation has used last, the newest first; unused bounds how many messages of people may have come since,
-- unless it is 0.
SELECT a.name FROM active_tools a
WHERE a.session_key = sqlc.arg(session_key)
  AND (sqlc.arg(unused)::int = 0 OR sqlc.arg(unused)::int >= (
      SELECT count(*) FROM (
          SELECT 1 FROM messages m
          WHERE m.session_key = a.session_key AND m.id > a.message_id AND m.role = 'user' AND NOT m.display_only
          LIMIT sqlc.arg(unused)::int + 1
      ) since))
ORDER BY a.message_id DESC, a.name
LIMIT sqlc.arg(most);

-- name: ActiveToolsUse :exec
INSERT INTO active_tools (session_key, name, message_id)
SELECT sqlc.arg(session_key), unnest(sqlc.arg(names)::text[]), coalesce((SELECT max(id) FROM messages WHERE session_key = sqlc.arg(session_key)), 0)
ON CONFLICT (session_key, name) DO UPDATE SET message_id = greatest(active_tools.message_id, excluded.message_id);

-- name: ActiveToolsReset :exec
DELETE FROM active_tools WHERE session_key = $1;

-- name: ActiveToolsOrPart :one
-- Whether a conversation has used a tool, or its system prompt has a part of a key that says something: a tool may be there only with it.
SELECT (EXISTS (SELECT 1 FROM session_parts p WHERE p.session_key = sqlc.arg(session_key) AND p.key = sqlc.arg(key) AND p.body <> '')
     OR EXISTS (SELECT 1 FROM active_tools a WHERE a.session_key = sqlc.arg(session_key) AND a.name = sqlc.arg(name)))::boolean AS has;
