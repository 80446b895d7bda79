-- name: RoleLock :exec
-- Makes changes of the roles and prompts of one person wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended('roles ' || sqlc.arg(owner)::text, 0));

-- name: RoleList :many
-- The roles of a user by name; id 0: all. With history also their earlier versions, the newest first.
SELECT r.id, v.revision, v.body, v.changed_at, coalesce(u.name, '')::text AS changed_by
FROM agent_roles r JOIN agent_role_versions v ON v.role_id = r.id AND (v.revision = r.revision OR sqlc.arg(history)::bool) LEFT JOIN users u ON u.id = v.changed_by
WHERE r.user_id = sqlc.arg(user_id) AND (sqlc.arg(id)::bigint = 0 OR r.id = sqlc.arg(id)::bigint)
ORDER BY r.key, v.revision DESC;

-- name: RoleCount :one
SELECT count(*)::int FROM agent_roles WHERE user_id = $1;

-- name: RoleNameTaken :one
SELECT EXISTS (SELECT 1 FROM agent_roles WHERE user_id = sqlc.arg(user_id) AND key = sqlc.arg(key) AND id <> sqlc.arg(id));

-- name: RoleAdd :one
WITH made AS (
    INSERT INTO agent_roles (user_id, key) VALUES (sqlc.arg(user_id), sqlc.arg(key)) RETURNING id
), first AS (
    INSERT INTO agent_role_versions (role_id, revision, body, changed_by) SELECT id, 1, sqlc.arg(body), sqlc.arg(changed_by) FROM made
)
SELECT id FROM made;

-- name: RoleReplace :exec
-- Adds a version, which is in force then. The oldest beyond keep go.
WITH moved AS (
    UPDATE agent_roles SET key = sqlc.arg(key), revision = revision + 1 WHERE id = sqlc.arg(id) RETURNING id, revision
), gone AS (
    DELETE FROM agent_role_versions v USING moved m WHERE v.role_id = m.id AND v.revision <= m.revision - sqlc.arg(keep)::bigint
)
INSERT INTO agent_role_versions (role_id, revision, body, changed_by) SELECT id, revision, sqlc.arg(body), sqlc.arg(changed_by) FROM moved;

-- name: RoleDelete :execrows
DELETE FROM agent_roles WHERE user_id = $1 AND id = $2;

-- name: RoleSwitches :many
SELECT s.key, s.enabled, s.changed_at, coalesce(u.name, '')::text AS changed_by
FROM agent_role_switches s LEFT JOIN users u ON u.id = s.changed_by
WHERE s.user_id = sqlc.arg(user_id)
ORDER BY s.key;

-- name: RoleSwitch :exec
INSERT INTO agent_role_switches (user_id, key, enabled, changed_by) VALUES (sqlc.arg(user_id), sqlc.arg(key), sqlc.arg(enabled), sqlc.arg(changed_by))
ON CONFLICT (user_id, key) DO UPDATE SET enabled = EXCLUDED.enabled, changed_by = EXCLUDED.changed_by, changed_at = now()
WHERE agent_role_switches.enabled <> EXCLUDED.enabled;
