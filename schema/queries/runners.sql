-- name: RunnerUpsert :one
INSERT INTO runners (user_id, name, token_hash) VALUES ($1, $2, $3)
ON CONFLICT (user_id, name) DO UPDATE SET token_hash = EXCLUDED.token_hash, revoked_at = NULL
RETURNING id;

-- name: RunnerByToken :one
SELECT id, user_id, name FROM runners WHERE token_hash = $1 AND revoked_at IS NULL;

-- name: RunnerList :many
SELECT r.name, r.user_id, r.created_at, c.connected, c.connected_at
FROM runners r LEFT JOIN connections c ON c.name = r.name
WHERE r.revoked_at IS NULL
ORDER BY r.name;

-- name: ConnectionOpen :one
INSERT INTO connections (name, holder) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, epoch = connections.epoch + 1, connected = true, connected_at = now()
RETURNING epoch;

-- name: ConnectionClose :exec
UPDATE connections SET connected = false WHERE name = $1 AND epoch = $2;

-- name: ConnectionHolder :one
SELECT holder, epoch, connected FROM connections WHERE name = $1;

-- name: SettingGet :one
SELECT value FROM settings WHERE key = $1;

-- name: SettingSet :one
INSERT INTO settings (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = settings.value
RETURNING value;
