-- name: PictureAdd :exec
INSERT INTO pictures (session_key, hash, media_type, width, height, data) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (session_key, hash) DO NOTHING;

-- name: PictureList :many
SELECT hash, media_type, width, height, data FROM pictures WHERE session_key = sqlc.arg(session_key) AND hash = ANY(sqlc.arg(hashes)::text[]);

-- name: StorageUsed :one
-- How many bytes of files that came with messages, and of pictures, are kept for a person. What is removed, or on its way, is not counted.
SELECT (coalesce((SELECT sum(f.size) FROM inbox_files f WHERE f.user_id = sqlc.arg(id) AND f.state = 'stored' AND f.path <> ''), 0)
      + coalesce((SELECT sum(octet_length(p.data)) FROM pictures p JOIN sessions s ON s.key = p.session_key WHERE s.user_id = sqlc.arg(id)), 0))::bigint AS bytes;
