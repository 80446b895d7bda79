-- name: PolicyNewest :one
-- The newest version; its body only where it is not the known one.
SELECT id, CASE WHEN id = sqlc.arg(known)::bigint THEN NULL ELSE body END::jsonb AS body FROM policies ORDER BY id DESC LIMIT 1;
