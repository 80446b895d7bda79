-- name: PolicyNewest :one
-- The newest version; its body only where it is not the known one.
SELECT id, CASE WHEN id = sqlc.arg(known)::bigint THEN NULL ELSE body END::jsonb AS body FROM policies ORDER BY id DESC LIMIT 1;

-- name: PolicyAdd :one
INSERT INTO policies (body, changed_by, transfers) VALUES ($1, $2, $3) RETURNING id;

-- name: PolicyLock :exec
-- Versions are added one after another; reading goes on.
LOCK TABLE policies IN SHARE ROW EXCLUSIVE MODE;

-- name: PolicyByVersion :one
SELECT body FROM policies WHERE id = $1;

-- name: PolicyVersions :many
SELECT p.id, p.created_at, p.transfers, COALESCE(u.name, '')::text AS changed_by
FROM policies p
LEFT JOIN users u ON u.id = p.changed_by
ORDER BY p.id DESC
LIMIT $1;
