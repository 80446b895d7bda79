-- name: PictureAdd :exec
INSERT INTO pictures (session_key, hash, media_type, width, height, data) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (session_key, hash) DO NOTHING;

-- name: PictureList :many
SELECT hash, media_type, width, height, data FROM pictures WHERE session_key = sqlc.arg(session_key) AND hash = ANY(sqlc.arg(hashes)::text[]);
