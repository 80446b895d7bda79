-- name: MemoryWritten :one
-- What came of a change of memory that was made before.
SELECT result FROM memory_writes WHERE user_id = $1 AND agent = $2 AND key = $3;

-- name: MemoryWrite :exec
INSERT INTO memory_writes (user_id, agent, key, result) VALUES ($1, $2, $3, $4);

-- name: MemoryGet :one
SELECT content FROM memories WHERE user_id = $1 AND agent = $2 AND path = $3;

-- name: HistoryAdd :exec
INSERT INTO event_history (user_id, agent, session_key, entry, words, size, from_at, to_at)
VALUES ($1, $2, $3, $4, sqlc.arg(words)::text::tsvector, sqlc.arg(size), $5, $6);

-- name: HistoryList :many
-- The newest entries before one; 0: the newest of all.
SELECT id, session_key, entry, from_at, to_at FROM event_history
WHERE user_id = $1 AND agent = $2 AND (sqlc.arg(before)::bigint = 0 OR id < sqlc.arg(before)::bigint)
ORDER BY id DESC LIMIT sqlc.arg(n);

-- name: BlockList :many
-- The blocks of a conversation: those of the person, and its own.
SELECT block, content, updated_at FROM core_memory_blocks
WHERE user_id = $1 AND agent = $2 AND session_key IN ('', sqlc.arg(session)::text);

-- name: BlockPut :exec
INSERT INTO core_memory_blocks (user_id, agent, block, session_key, content) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (user_id, agent, block, session_key) DO UPDATE SET content = EXCLUDED.content, updated_at = now()
WHERE core_memory_blocks.content <> EXCLUDED.content;

-- name: BlockGet :one
SELECT content FROM core_memory_blocks WHERE user_id = $1 AND agent = $2 AND block = $3 AND session_key = $4;
