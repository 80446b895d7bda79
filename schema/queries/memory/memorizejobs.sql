-- name: BlockListAll :many
-- The blocks of a person in all conversations, without empty ones.
SELECT block, session_key, content, updated_at FROM core_memory_blocks WHERE user_id = $1 AND agent = $2 AND content <> ''
ORDER BY session_key, block;

-- name: HistoryDelete :execrows
DELETE FROM event_history WHERE user_id = $1 AND agent = $2 AND id = ANY (sqlc.arg(ids)::bigint[]);

-- name: MemoryNames :many
SELECT DISTINCT agent FROM (
    SELECT m.agent FROM memories m WHERE m.user_id = sqlc.arg(user_id)
    UNION ALL SELECT h.agent FROM event_history h WHERE h.user_id = sqlc.arg(user_id)
    UNION ALL SELECT b.agent FROM core_memory_blocks b WHERE b.user_id = sqlc.arg(user_id)
    UNION ALL SELECT a.agent FROM memory_heads a WHERE a.user_id = sqlc.arg(user_id)
    UNION ALL SELECT f.agent FROM soul_files f WHERE f.user_id = sqlc.arg(user_id)
) names ORDER BY agent;
