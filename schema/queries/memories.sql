-- name: MemoryList :many
SELECT path, content, updated_at FROM memories WHERE user_id = $1 ORDER BY path;

-- name: MemoryLock :exec
-- Makes those who write about one person wait for each other.
SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE;

-- name: MemoryCountOthers :one
SELECT count(*)::int FROM memories WHERE user_id = $1 AND path <> $2;

-- name: MemoryPut :exec
INSERT INTO memories (user_id, path, content) VALUES ($1, $2, $3)
ON CONFLICT (user_id, path) DO UPDATE SET content = EXCLUDED.content, updated_at = now() WHERE memories.content <> EXCLUDED.content;

-- name: MemoryDelete :exec
DELETE FROM memories WHERE user_id = $1 AND path = $2;
