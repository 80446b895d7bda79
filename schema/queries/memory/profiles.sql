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

-- name: ProfileVersionAdd :exec
-- The profile as it is becomes a version. The oldest beyond keep go, unless a service works with them.
WITH gone AS (
    DELETE FROM user_profile_versions p WHERE p.user_id = sqlc.arg(user_id) AND p.version IN (
        SELECT o.version FROM user_profile_versions o WHERE o.user_id = sqlc.arg(user_id) ORDER BY o.version DESC OFFSET sqlc.arg(keep)::int - 1
    ) AND NOT EXISTS (
        SELECT 1 FROM services s WHERE s.admin_id = p.user_id AND s.deleted_at IS NULL AND (s.definition ->> 'user_profile_version_id')::int = p.version
    )
)
INSERT INTO user_profile_versions (user_id, version, content, timezone, changed_at, changed_by)
SELECT p.user_id, p.revision, p.content, p.timezone, p.updated_at, sqlc.arg(changed_by)::bigint FROM user_profiles p WHERE p.user_id = sqlc.arg(user_id);

-- name: ProfileVersionOf :one
SELECT p.version, p.content, p.timezone, p.changed_at, coalesce(u.name, '')::text AS changed_by
FROM user_profile_versions p LEFT JOIN users u ON u.id = p.changed_by
WHERE p.user_id = sqlc.arg(user_id) AND p.version = sqlc.arg(version);

-- name: ProfileVersionList :many
SELECT p.version, p.timezone, p.changed_at, coalesce(u.name, '')::text AS changed_by, char_length(p.content)::int AS characters
FROM user_profile_versions p LEFT JOIN users u ON u.id = p.changed_by
WHERE p.user_id = sqlc.arg(user_id)
ORDER BY p.version DESC;

-- name: ProfileVersionDelete :execrows
DELETE FROM user_profile_versions WHERE user_id = $1 AND version = $2;
