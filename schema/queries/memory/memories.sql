-- name: MemoryList :many
SELECT path, content, updated_at FROM memories WHERE user_id = $1 AND agent = $2 ORDER BY path;

-- name: MemoryCountOthers :one
SELECT count(*)::int FROM memories WHERE user_id = $1 AND agent = $2 AND path <> $3;

-- name: MemoryPut :exec
INSERT INTO memories (user_id, agent, path, content) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, agent, path) DO UPDATE SET content = EXCLUDED.content, updated_at = now() WHERE memories.content <> EXCLUDED.content;

-- name: MemoryLeft :one
-- Whether a user is nobody any more: no channel knows them, and they cannot sign in.
SELECT (NOT EXISTS (SELECT 1 FROM identities i WHERE i.user_id = u.id)
   AND NOT EXISTS (SELECT 1 FROM web_sessions w WHERE w.user_id = u.id AND w.expires_at > now())
   AND NOT EXISTS (SELECT 1 FROM api_tokens a WHERE a.user_id = u.id AND a.revoked_at IS NULL)
   AND NOT EXISTS (SELECT 1 FROM login_links l WHERE l.user_id = u.id AND l.used_at IS NULL AND l.expires_at > now())
   AND u.password_hash = '')::boolean AS left_behind
FROM users u WHERE u.id = $1;

-- name: MemoryMove :exec
-- Gives the notes about one user to another. Where both have one of a name, the one that comes gets another name, unless
-- it says the same.
WITH coming AS (
    DELETE FROM memories gone WHERE gone.user_id = sqlc.arg(user_id) RETURNING gone.agent, gone.path, gone.content, gone.updated_at
)
INSERT INTO memories (user_id, agent, path, content, updated_at)
SELECT sqlc.arg(new_user_id)::bigint, c.agent, CASE
    WHEN h.path IS NULL THEN c.path
    ELSE 'linked/' || sqlc.arg(left_id)::bigint || '/' || CASE WHEN octet_length(c.path) > 170 THEN md5(c.path) ELSE c.path END -- at most 200 bytes
END, c.content, c.updated_at
FROM coming c
LEFT JOIN memories h ON h.user_id = sqlc.arg(new_user_id)::bigint AND h.agent = c.agent AND h.path = c.path
WHERE h.path IS NULL OR h.content <> c.content
ON CONFLICT (user_id, agent, path) DO UPDATE SET content = memories.content || E'\n\n' || EXCLUDED.content, updated_at = greatest(memories.updated_at, EXCLUDED.updated_at);

-- name: MemoryDelete :exec
DELETE FROM memories WHERE user_id = $1 AND agent = $2 AND path = $3;
