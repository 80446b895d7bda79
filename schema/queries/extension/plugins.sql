-- name: PluginList :many
-- Without their files.
SELECT p.id, p.version, p.digest, p.manifest, p.permissions, p.read_only, p.enabled, p.secrets, p.revision, p.installation, p.problem, p.problem_at, p.failure, p.failure_at, p.installed_at, p.changed_at, coalesce(u.name, '')::text AS changed_by
FROM plugins p LEFT JOIN users u ON u.id = p.changed_by
ORDER BY p.id;

-- name: PluginArchive :one
SELECT digest, archive FROM plugins WHERE id = $1;

-- name: PluginInstall :exec
-- Takes the place of another version, whose values and settings stay.
INSERT INTO plugins (id, version, digest, manifest, archive, permissions, read_only, enabled, secrets, changed_by)
VALUES (sqlc.arg(id), sqlc.arg(version), sqlc.arg(digest), sqlc.arg(manifest), sqlc.arg(archive), sqlc.arg(permissions), sqlc.arg(read_only), true, sqlc.narg(secrets), sqlc.narg(changed_by)::bigint)
ON CONFLICT (id) DO UPDATE
SET version = EXCLUDED.version, digest = EXCLUDED.digest, manifest = EXCLUDED.manifest, archive = EXCLUDED.archive, permissions = EXCLUDED.permissions,
    read_only = EXCLUDED.read_only, enabled = true, secrets = EXCLUDED.secrets, revision = nextval('plugin_revisions'), problem = '', problem_at = NULL, failure = '', failure_at = NULL, changed_at = now(), changed_by = EXCLUDED.changed_by;

-- name: PluginLock :exec
-- Of those who install one, one goes after the other: they look at the names that the others have.
SELECT pg_advisory_xact_lock(hashtext('plugins'));

-- name: PluginChange :execrows
-- Also where nothing changes: its processes end.
UPDATE plugins
SET enabled = coalesce(sqlc.narg(enabled)::boolean, enabled), secrets = CASE WHEN sqlc.arg(set_secrets)::boolean THEN sqlc.narg(secrets)::bytea ELSE secrets END,
    revision = nextval('plugin_revisions'), problem = '', problem_at = NULL, changed_at = now(), changed_by = sqlc.narg(changed_by)::bigint
WHERE id = sqlc.arg(id) AND (sqlc.arg(revision)::bigint = 0 OR revision = sqlc.arg(revision)::bigint);

-- name: PluginDelete :execrows
DELETE FROM plugins WHERE id = $1;

-- name: PluginProblem :exec
UPDATE plugins SET problem = sqlc.arg(problem)::text, problem_at = CASE WHEN sqlc.arg(problem)::text = '' THEN NULL ELSE now() END
WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) AND problem <> sqlc.arg(problem)::text;

-- name: PluginFailure :exec
UPDATE plugins SET failure = sqlc.arg(failure)::text, failure_at = now() WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision);

-- name: PluginValue :one
SELECT value FROM plugin_values WHERE plugin_id = sqlc.arg(plugin_id) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint AND key = sqlc.arg(key);

-- name: PluginValueKeys :many
SELECT key FROM plugin_values
WHERE plugin_id = sqlc.arg(plugin_id) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint AND starts_with(key, sqlc.arg(prefix)) AND key > sqlc.arg(after)::text
ORDER BY key LIMIT sqlc.arg(most)::int;

-- name: PluginRowLock :one
-- With what it keeps. A trigger counts it.
SELECT kept_keys, kept_bytes FROM plugins WHERE id = $1 FOR NO KEY UPDATE;

-- name: PluginValueSize :many
-- What a value takes of it.
SELECT octet_length(key) + octet_length(value) AS bytes
FROM plugin_values WHERE plugin_id = sqlc.arg(plugin_id) AND key = sqlc.arg(key) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: PluginValueSet :exec
INSERT INTO plugin_values (plugin_id, user_id, key, value) VALUES (sqlc.arg(plugin_id), sqlc.narg(owner)::bigint, sqlc.arg(key), sqlc.arg(value))
ON CONFLICT (plugin_id, user_id, key) DO UPDATE SET value = EXCLUDED.value, changed_at = now();

-- name: PluginValueDelete :exec
DELETE FROM plugin_values WHERE plugin_id = sqlc.arg(plugin_id) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint AND key = sqlc.arg(key);
