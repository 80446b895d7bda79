-- name: UserSettingGet :one
SELECT value FROM user_settings WHERE user_id = $1 AND key = $2;

-- name: UserSettingSet :exec
INSERT INTO user_settings (user_id, key, value) VALUES ($1, $2, $3)
ON CONFLICT (user_id, key) DO UPDATE SET value = EXCLUDED.value, updated_at = now();

-- name: UserSettingClear :exec
DELETE FROM user_settings WHERE user_id = $1 AND key = $2;

-- name: UserSettings :many
SELECT key, value FROM user_settings WHERE user_id = $1 ORDER BY key;

-- name: UserSettingsLike :many
-- Those whose key begins so.
SELECT key, value FROM user_settings WHERE user_id = sqlc.arg(user_id) AND starts_with(key, sqlc.arg(prefix)::text) ORDER BY key;
