-- name: HeadGet :one
SELECT revision, deletions FROM memory_heads WHERE user_id = $1 AND agent = $2;

-- name: HeadBump :one
-- The revision for rows that are written in this transaction, which holds the lock of the user.
INSERT INTO memory_heads (user_id, agent, revision, deletions) VALUES ($1, $2, 1, sqlc.arg(deletions)::bigint)
ON CONFLICT (user_id, agent) DO UPDATE SET revision = memory_heads.revision + 1, deletions = memory_heads.deletions + EXCLUDED.deletions
RETURNING revision;

-- name: ArchiveAdd :one
INSERT INTO archival_memory (user_id, agent, content, words, size, at, embedding, embedding_model, revision)
VALUES ($1, $2, $3, sqlc.arg(words)::text::tsvector, sqlc.arg(size), $4, $5, $6, $7)
RETURNING id;

-- name: ArchiveDelete :execrows
DELETE FROM archival_memory WHERE user_id = $1 AND agent = $2 AND id = ANY (sqlc.arg(ids)::bigint[]);

-- name: ArchiveCount :one
SELECT count(*)::int FROM archival_memory WHERE user_id = $1 AND agent = $2;

-- name: ArchiveGet :many
SELECT id, content, at FROM archival_memory WHERE user_id = $1 AND agent = $2 AND id = ANY (sqlc.arg(ids)::bigint[]);

-- name: ArchiveList :many
-- The newest entries before one; 0: the newest of all.
SELECT id, content, at FROM archival_memory
WHERE user_id = $1 AND agent = $2 AND (sqlc.arg(before)::bigint = 0 OR id < sqlc.arg(before)::bigint)
ORDER BY id DESC LIMIT sqlc.arg(n);

-- name: ArchiveSince :many
-- What was written after a revision, and has an embedding of a model: about n of it, and whole revisions.
SELECT id, embedding, revision FROM archival_memory
WHERE user_id = $1 AND agent = $2 AND revision > sqlc.arg(after)::bigint AND embedding_model = $3 AND embedding IS NOT NULL
ORDER BY revision FETCH FIRST (sqlc.arg(n)::int) ROWS WITH TIES;

-- name: ArchiveIDs :many
SELECT id FROM archival_memory WHERE user_id = $1 AND agent = $2;

-- name: ArchiveSearch :many
-- The entries that meet the most telling terms, by BM25 with each word counted once: k1 is 1.2, b 0.75, and an entry has 20
-- words on average, which makes an entry's share of a term 2.2 / (1.3 + 0.045 * size).
WITH terms AS MATERIALIZED (
    SELECT (sqlc.arg(queries)::text[])[n]::tsquery AS query, (sqlc.arg(weights)::float8[])[n] AS weight, n
    FROM generate_series(1, cardinality(sqlc.arg(queries)::text[])) AS n
), hits AS MATERIALIZED (
    SELECT t.n, a.id, 2.2::float8 / (1.3::float8 + 0.045::float8 * a.size) AS share FROM terms t JOIN archival_memory a ON a.words @@ t.query
    WHERE a.user_id = $1 AND a.agent = $2
), rarity AS MATERIALIZED (
    SELECT t.n, t.weight * ln(1 + (e.n - c.n + 0.5::float8) / (c.n + 0.5::float8)) AS weight
    FROM terms t JOIN (SELECT h.n AS term, count(*) AS n FROM hits h GROUP BY h.n) c ON c.term = t.n,
         (SELECT count(*) AS n FROM archival_memory e WHERE e.user_id = $1 AND e.agent = $2) e
)
SELECT h.id::bigint AS id, sum(r.weight * h.share)::float8 AS score
FROM hits h JOIN rarity r ON r.n = h.n
GROUP BY h.id
ORDER BY score DESC, h.id DESC
LIMIT sqlc.arg(most);

-- name: HistorySearch :many
-- The entries of a log from a span of time that meet the most terms; without terms the newest.
SELECT h.id, h.session_key, h.entry, h.from_at, h.to_at
FROM event_history h
WHERE h.user_id = $1 AND h.agent = $2 AND h.to_at >= sqlc.arg(since)::timestamptz AND h.from_at < sqlc.arg(until)::timestamptz
  AND (cardinality(sqlc.arg(queries)::text[]) = 0 OR h.words @@ ANY (sqlc.arg(queries)::text[]::tsquery[]))
ORDER BY (SELECT count(*) FROM unnest(sqlc.arg(queries)::text[]::tsquery[]) AS q WHERE h.words @@ q) DESC, h.to_at DESC, h.id DESC
LIMIT sqlc.arg(n);

-- name: ArchivePending :many
-- Entries without an embedding of a model, the oldest first, but for those that are left alone for now.
SELECT id, user_id, agent, content, digest FROM archival_memory
WHERE (embedding_model < sqlc.arg(model)::text OR embedding_model > sqlc.arg(model)::text) AND embed_after <= now()
ORDER BY id LIMIT sqlc.arg(n);

-- name: DigestClaim :execrows
-- Leaves an entry to whoever is the first to ask.
UPDATE archival_memory SET embed_after = now() + sqlc.arg(pause)::interval WHERE id = $1 AND embed_after <= now() AND digest = '';

-- name: DigestKeep :exec
UPDATE archival_memory SET digest = $2, embed_after = now() + sqlc.arg(pause)::interval WHERE id = $1;

-- name: DigestReader :one
-- The newest conversation of a person, whose model shortens their entries, and whether it may be asked now: nothing of theirs
-- is being memorized, and a place is free that answers could have.
SELECT t.session_key, (NOT EXISTS (
        SELECT 1 FROM memorize_jobs j JOIN sessions o ON o.key = j.session_key WHERE o.user_id = t.user_id AND j.held_until > clock_timestamp()
    ) AND (
        SELECT count(*) FROM llm_leases l
        WHERE l.user_id = t.user_id AND l.held_until > clock_timestamp() AND l.pool = CASE WHEN t.own THEN 'personal' ELSE 'global' END
    ) < CASE WHEN t.own THEN sqlc.arg(most_personal)::int ELSE sqlc.arg(most_global)::int END)::boolean AS free
FROM sessions s JOIN session_tenants t ON t.session_key = s.key
WHERE s.user_id = $1 AND NOT t.subagent
ORDER BY s.last_interaction_at DESC, s.key LIMIT 1;

-- name: ArchiveEmbed :exec
UPDATE archival_memory SET embedding = $4, embedding_model = $5, revision = $6 WHERE user_id = $1 AND agent = $2 AND id = $3;

-- name: ArchiveAgents :many
SELECT DISTINCT agent FROM archival_memory WHERE user_id = $1;

-- name: ArchiveMove :execrows
UPDATE archival_memory SET user_id = sqlc.arg(new_user_id)::bigint, revision = $3 WHERE user_id = $1 AND agent = $2;

-- name: HistoryMove :exec
UPDATE event_history SET user_id = sqlc.arg(new_user_id)::bigint WHERE user_id = $1;

-- name: BlockMove :exec
-- Gives blocks to another user, unless that one has the same block.
UPDATE core_memory_blocks b SET user_id = sqlc.arg(new_user_id)::bigint
WHERE b.user_id = $1 AND NOT EXISTS (
    SELECT 1 FROM core_memory_blocks o
    WHERE o.user_id = sqlc.arg(new_user_id)::bigint AND o.agent = b.agent AND o.block = b.block AND o.session_key = b.session_key
);

-- name: BlockMoveOf :exec
-- Gives the blocks of some conversations to the user whose the conversations are now.
UPDATE core_memory_blocks SET user_id = sqlc.arg(new_user_id)::bigint
WHERE user_id = $1 AND session_key <> '' AND session_key = ANY (sqlc.arg(sessions)::text[]);

-- name: BlockLeft :many
DELETE FROM core_memory_blocks WHERE user_id = $1 RETURNING agent, block, content;

-- name: MemoryWriteMove :exec
UPDATE memory_writes w SET user_id = sqlc.arg(new_user_id)::bigint
WHERE w.user_id = $1 AND NOT EXISTS (
    SELECT 1 FROM memory_writes o WHERE o.user_id = sqlc.arg(new_user_id)::bigint AND o.agent = w.agent AND o.key = w.key
);
