-- name: PictureAdd :exec
INSERT INTO pictures (session_key, hash, media_type, width, height, data) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (session_key, hash) DO NOTHING;

-- name: PictureList :many
SELECT hash, media_type, width, height, data FROM pictures WHERE session_key = sqlc.arg(session_key) AND hash = ANY(sqlc.arg(hashes)::text[]);

-- name: StorageUsed :one
-- How many bytes of files that came with messages, and of pictures, are kept for a person, or for all consumers of a service: of one of them, or
-- of its own user. What is removed, or on its way, is not counted.
WITH whose AS (
    SELECT u.id, u.kind FROM users u WHERE u.id = sqlc.arg(id)
    UNION
    SELECT o.id, o.kind FROM users c JOIN users o ON o.owner_id = CASE c.kind WHEN 'consumer' THEN c.owner_id ELSE c.id END
    WHERE c.id = sqlc.arg(id) AND c.kind IN ('service', 'consumer')
)
SELECT (coalesce((SELECT sum(f.size) FROM inbox_files f WHERE f.user_id IN (SELECT w.id FROM whose w) AND f.state = 'stored' AND f.path <> ''), 0)
      + coalesce((SELECT sum(octet_length(p.data)) FROM pictures p JOIN sessions s ON s.key = p.session_key WHERE s.user_id IN (SELECT w.id FROM whose w)), 0))::bigint AS bytes,
       (EXISTS (SELECT 1 FROM whose w WHERE w.kind IN ('service', 'consumer')))::boolean AS outside;
