-- name: ProfileGet :one
SELECT content, timezone, revision, updated_at FROM user_profiles WHERE user_id = $1;

-- name: ProfilePut :one
-- No row: the user is a group.
INSERT INTO user_profiles (user_id, content, timezone)
SELECT u.id, sqlc.arg(content), sqlc.arg(timezone) FROM users u WHERE u.id = sqlc.arg(user_id) AND u.kind = 'person'
ON CONFLICT (user_id) DO UPDATE SET content = EXCLUDED.content, timezone = EXCLUDED.timezone, revision = user_profiles.revision + 1, updated_at = now()
RETURNING revision, updated_at;

-- name: ProfileTake :many
DELETE FROM user_profiles WHERE user_id = $1 RETURNING content, timezone;
