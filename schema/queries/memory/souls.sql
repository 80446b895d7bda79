-- name: SoulList :many
SELECT name, content, updated_at FROM soul_files WHERE user_id = $1 AND agent = $2 ORDER BY name;

-- name: SoulGet :one
SELECT content FROM soul_files WHERE user_id = $1 AND agent = $2 AND name = $3;

-- name: SoulCount :one
SELECT count(*)::int FROM soul_files WHERE user_id = $1 AND agent = $2;

-- name: SoulPut :exec
INSERT INTO soul_files (user_id, agent, name, content) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, agent, name) DO UPDATE SET content = EXCLUDED.content, updated_at = now();

-- name: SoulDelete :exec
DELETE FROM soul_files WHERE user_id = $1 AND agent = $2 AND name = $3;

-- name: SoulMove :exec
-- Gives the files of one user to another. Where both have one of a name, the one that comes gets another name, unless it says
-- the same.
WITH coming AS (
    DELETE FROM soul_files gone WHERE gone.user_id = sqlc.arg(user_id) RETURNING gone.agent, gone.name, gone.content, gone.updated_at
)
INSERT INTO soul_files (user_id, agent, name, content, updated_at)
SELECT sqlc.arg(new_user_id)::bigint, c.agent, CASE WHEN h.name IS NULL THEN c.name ELSE 'linked-' || sqlc.arg(left_id)::bigint || '-' || c.name END, c.content, c.updated_at
FROM coming c
LEFT JOIN soul_files h ON h.user_id = sqlc.arg(new_user_id)::bigint AND h.agent = c.agent AND h.name = c.name
WHERE h.name IS NULL OR h.content <> c.content
ON CONFLICT (user_id, agent, name) DO UPDATE SET content = EXCLUDED.content, updated_at = EXCLUDED.updated_at;
